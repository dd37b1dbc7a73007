"""The layers of the ONNX file of YuNet's authors, in the order of `layers` in Sources/CNetworks/yunet.c."""
import hashlib
import sys

import onnx
from onnx import numpy_helper

ORIGIN = "25a606a145a5b6d7271ae138fbd00eba91dad8b83222ae3f2c7ecd0f4a7b0e31"


class Network:
    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        if hashlib.sha256(content).hexdigest() != ORIGIN:
            sys.exit(f"{path} is not the authors' yunet_n_640_640.onnx")
        self.model = onnx.load_from_string(content)
        self._values = {tensor.name: numpy_helper.to_array(tensor) for tensor in self.model.graph.initializer}
        self._convolutions = [node for node in self.model.graph.node if node.op_type == "Conv"]
        self.first = self._convolutions[0]
        # Of each pair its two convolutions; of a level's heads, which are one pair, four times two.
        self.pairs = [[self._named("backbone.model0.conv2")]]
        self.pairs += [[self._named(f"backbone.model{stage}.conv{n}")] for stage in range(1, 6) for n in (1, 2)]
        for level in (2, 1, 0):
            self.pairs.append([self._named(f"neck.lateral_convs.{level}")])
            self.pairs.append([self._named(f"bbox_head.multi_level_share_convs.{level}.0")])
            heads = ("cls", "obj", "bbox", "kps")
            self.pairs.append([self._named(f"bbox_head.multi_level_{head}.{level}") for head in heads])
        if len(self._convolutions) != 1 + 2 * sum(len(pair) for pair in self.pairs):
            sys.exit(f"{path} has convolutions that no layer takes")

    def weights(self, node):
        """A convolution's weights and biases."""
        return [self._values[name] for name in node.input[1:]]

    def _named(self, name):
        (first,) = (node for node in self._convolutions if f"{name}.conv1.weight" in node.input[1])
        (second,) = (node for node in self._convolutions if node.input[0] == first.output[0])
        return first, second
