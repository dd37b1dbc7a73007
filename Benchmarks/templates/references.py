"""The published definitions of templates, for landmarks in pixels whose centers are whole numbers.

Each function returns the 2 x 3 matrix from the image to the chip, or the chip, as an RGB array.
"""

import cv2
import numpy as np
import scipy.ndimage
from PIL import Image
from skimage.transform import SimilarityTransform

# The five points of ArcFace on 112 x 112 pixels: eyes, nose, corners of the mouth, left in the image first.
ARCFACE = np.array([[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]])


def arcface_matrix(landmarks: np.ndarray) -> np.ndarray:
    """The estimate that insightface's norm_crop takes."""
    return SimilarityTransform.from_estimate(landmarks, ARCFACE).params[:2]


def warped(image: np.ndarray, matrix: np.ndarray, side: int) -> np.ndarray:
    """A chip by linear interpolation, black outside, as norm_crop makes it."""
    return cv2.warpAffine(image, matrix, (side, side), borderValue=0)


def antialiased(image: np.ndarray, matrix: np.ndarray, side: int) -> np.ndarray:
    """The same chip without frequencies that fold over, by the steps of FFHQ's program: the image is reduced to at least
    twice the resolution of the chip, sampled at four times that resolution by linear interpolation, and reduced."""
    shrink = max(int(0.5 / np.hypot(matrix[0, 0], matrix[1, 0])), 1)
    height, width = image.shape[:2]
    size = (max(round(width / shrink), 1), max(round(height / shrink), 1))
    small = np.asarray(Image.fromarray(image).resize(size, Image.Resampling.LANCZOS)) if shrink > 1 else image
    # Both sides count from the corners of pixels while they are scaled.
    corner = matrix.copy()
    corner[:, 2] += 0.5 - 0.5 * matrix[:, :2].sum(axis=1)
    corner[:, :2] *= [width / size[0], height / size[1]]
    corner *= 4
    corner[:, 2] += 0.5 * corner[:, :2].sum(axis=1) - 0.5
    large = cv2.warpAffine(small, corner, (4 * side, 4 * side), borderValue=0)
    return np.asarray(Image.fromarray(large).resize((side, side), Image.Resampling.LANCZOS))


def ffhq_square(landmarks: np.ndarray) -> np.ndarray:
    """The corners of FFHQ's square: top left, bottom left, bottom right, top right."""
    right, left, _, mouth_right, mouth_left = landmarks
    eyes, mouth = (right + left) / 2, (mouth_right + mouth_left) / 2
    across, down = left - right, mouth - eyes
    axis = across + np.array([down[1], -down[0]])
    axis *= max(2 * np.hypot(*across), 1.8 * np.hypot(*down)) / np.hypot(*axis)
    normal = np.array([-axis[1], axis[0]])
    center = eyes + 0.1 * down
    return np.array([center - axis - normal, center - axis + normal, center + axis + normal, center + axis - normal])


def ffhq_matrix(landmarks: np.ndarray, side: int = 1024) -> np.ndarray:
    """The map of the square's corners to those of the chip, between centers of pixels."""
    square = ffhq_square(landmarks) + 0.5
    targets = np.array([[0, 0], [0, side], [side, side], [side, 0]], dtype=float)
    matrix = SimilarityTransform.from_estimate(square, targets).params[:2]
    matrix[:, 2] += 0.5 * matrix[:, :2].sum(axis=1) - 0.5
    return matrix


def ffhq_chip(image: np.ndarray, landmarks: np.ndarray, side: int = 1024) -> np.ndarray:
    """The recipe: reduce, cut, pad with mirrored and blurred pixels, sample at four times the resolution, reduce."""
    picture = Image.fromarray(image)
    square = ffhq_square(landmarks)
    length = np.hypot(*(square[3] - square[0]))
    shrink = int(length / side * 0.5)
    if shrink > 1:
        size = (round(picture.width / shrink), round(picture.height / shrink))
        picture = picture.resize(size, Image.Resampling.LANCZOS)
        square, length = square / shrink, length / shrink
    strip = max(round(length * 0.1), 3)

    def bounds() -> tuple[np.ndarray, np.ndarray]:
        return np.floor(square.min(axis=0)).astype(int), np.ceil(square.max(axis=0)).astype(int)

    low, high = bounds()
    box = [*np.maximum(low - strip, 0), *np.minimum(high + strip, picture.size)]
    picture = picture.crop([int(edge) for edge in box])
    square = square - box[:2]
    low, high = bounds()
    before, behind = np.maximum(strip - low, 0), np.maximum(high + strip - picture.size, 0)
    if max(*before, *behind) > strip - 4:
        least = round(length * 0.3)
        before, behind = np.maximum(before, least), np.maximum(behind, least)
        wide = np.pad(
            np.asarray(picture, dtype=np.float32),
            ((before[1], behind[1]), (before[0], behind[0]), (0, 0)),
            mode="reflect",
        )
        height, width = wide.shape[:2]
        y, x = np.mgrid[:height, :width].astype(np.float32)
        depth = np.maximum(
            1 - np.minimum(x / before[0], (width - 1 - x) / behind[0]),
            1 - np.minimum(y / before[1], (height - 1 - y) / behind[1]),
        )[..., None]
        blurred = scipy.ndimage.gaussian_filter(wide, [length * 0.02, length * 0.02, 0])
        wide += (blurred - wide) * np.clip(3 * depth + 1, 0, 1)
        wide += (np.median(wide, axis=(0, 1)) - wide) * np.clip(depth, 0, 1)
        picture = Image.fromarray(np.clip(np.rint(wide), 0, 255).astype(np.uint8))
        square = square + before
    corners = (square + 0.5).flatten()
    sampled = picture.transform((4 * side, 4 * side), Image.Transform.QUAD, corners, Image.Resampling.BILINEAR)
    return np.asarray(sampled.resize((side, side), Image.Resampling.LANCZOS))


# dlib's mean face with 68 points: the means of the eyes' six points, the tip of the nose, the corners of the mouth.
DLIB = np.array(
    [[0.225492, 0.215990], [0.754767, 0.215990], [0.490127, 0.515625], [0.254149, 0.780233], [0.726104, 0.780233]]
)


def dlib_matrix(landmarks: np.ndarray, side: int = 150, padding: float = 0.25) -> np.ndarray:
    """The rule of dlib's chips, which fits the chip's points to the image's, for our five points."""
    points = (DLIB + padding) / (1 + 2 * padding) * side
    return np.linalg.inv(SimilarityTransform.from_estimate(points, landmarks).params)[:2]
