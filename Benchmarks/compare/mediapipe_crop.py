"""Crops images to the largest face with MediaPipe's detector and Pillow, as a first program of a user would.

Measured as a separate program: mediapipe_crop.py FOLDER IMAGE... writes FOLDER/NAME.jpg for each image with a face.
"""

import pathlib
import sys

import mediapipe
import numpy as np
from PIL import Image, ImageOps

SIDE = 512


def crop(image: Image.Image, box) -> Image.Image:
    """A square inside the image, with the face as half its height."""
    width, height = image.size
    side = int(min(2 * box.height * height, width, height))
    x = min(max(int((box.xmin + box.width / 2) * width - side / 2), 0), width - side)
    y = min(max(int((box.ymin + box.height / 2) * height - side / 2), 0), height - side)
    return image.resize((SIDE, SIDE), Image.Resampling.LANCZOS, box=(x, y, x + side, y + side))


def main() -> None:
    folder, failures = pathlib.Path(sys.argv[1]), 0
    # The second model is that for faces up to five meters away.
    with mediapipe.solutions.face_detection.FaceDetection(model_selection=1, min_detection_confidence=0.5) as detector:
        for name in sys.argv[2:]:
            try:
                image = ImageOps.exif_transpose(Image.open(name)).convert("RGB")
                found = detector.process(np.asarray(image)).detections or []
            except OSError as error:
                print(f"{name}: {error}", file=sys.stderr)
                failures += 1
                continue
            boxes = [one.location_data.relative_bounding_box for one in found]
            if boxes:
                largest = max(boxes, key=lambda box: box.width * box.height)
                crop(image, largest).save(folder / f"{pathlib.Path(name).name}.jpg", quality=85)
    sys.exit(1 if failures == len(sys.argv) - 2 else 0)


main()
