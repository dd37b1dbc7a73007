"""Crops an image in the way of a first OpenCV program: the whole image, the plain cascade, the largest face.

Measured as a separate program: opencv_crop.py IN OUT
"""

import os
import sys

import cv2

SIDE = 512

picture = cv2.imread(sys.argv[1])
if picture is None:
    sys.exit(f"{sys.argv[1]} cannot be read")
cascade = cv2.CascadeClassifier(os.path.join(cv2.data.haarcascades, "haarcascade_frontalface_alt2.xml"))
faces = cascade.detectMultiScale(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
if len(faces) == 0:
    sys.exit(f"no face in {sys.argv[1]}")
left, top, width, height = (int(value) for value in max(faces, key=lambda face: face[2] * face[3]))

# A square inside the image, with the face as half its height.
side = min(2 * height, *picture.shape[:2])
x = min(max(left + width // 2 - side // 2, 0), picture.shape[1] - side)
y = min(max(top + height // 2 - side // 2, 0), picture.shape[0] - side)
crop = cv2.resize(picture[y : y + side, x : x + side], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
if not cv2.imwrite(sys.argv[2], crop, [cv2.IMWRITE_JPEG_QUALITY, 85]):
    sys.exit(f"{sys.argv[2]} cannot be written")
