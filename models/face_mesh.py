"""MediaPipe's face mesh as the list of layers in Sources/CNetworks/mesh.c, in floats.

Reads the authors' file with the Python package tflite. The order is that of the branches: the points, then the score.
"""
import hashlib
import sys

import numpy
import tflite

from selfie_segmentation import windows
from sixteen_bits import LINEAR, PARAMETRIC

ORIGIN = "1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814"
SIDE = 192


class Layer:
    """One layer: `kind`, the layers it reads, its weights as floats, and the slopes of its activation."""

    def __init__(self, kind, reads=None, other=None, weights=None, stride=1, channels=0):
        self.kind, self.reads, self.other, self.weights, self.stride, self.channels = kind, reads, other, weights, stride, channels
        self.activation, self.slopes, self.output, self.pooled, self.adds = LINEAR, None, False, None, False


class Graph:
    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        if hashlib.sha256(content).hexdigest() != ORIGIN:
            sys.exit(f"{path} is not the authors' face_landmark.tflite")
        self.model = tflite.Model.GetRootAsModel(content, 0)
        self.graph = self.model.Subgraphs(0)
        self.names = {value: name for name, value in vars(tflite.BuiltinOperator).items() if not name.startswith("_")}
        self.makers = {}
        for place in range(self.graph.OperatorsLength()):
            operator = self.graph.Operators(place)
            self.makers[int(operator.OutputsAsNumpy()[0])] = operator
        self.layers, self.places = [], {}

    def name(self, operator):
        code = self.model.OperatorCodes(operator.OpcodeIndex())
        return self.names[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]

    def constant(self, place):
        if place in self.makers:
            return self.constant(int(self.makers[place].InputsAsNumpy()[0]))
        tensor = self.graph.Tensors(place)
        kind = {0: numpy.float32, 1: numpy.float16, 2: numpy.int32}[tensor.Type()]
        data = self.model.Buffers(tensor.Buffer()).DataAsNumpy().tobytes()
        return numpy.frombuffer(data, kind).reshape(tensor.ShapeAsNumpy()).astype(float)

    def add(self, layer):
        self.layers.append(layer)
        return len(self.layers) - 1

    def layer(self, tensor):
        """The place of the layer whose result a tensor is, after those that it reads."""
        if tensor not in self.makers:
            return None
        if tensor not in self.places:
            self.places[tensor] = self.layer_of(self.makers[tensor])
        return self.places[tensor]

    def layer_of(self, operator):
        name, (source, *others) = self.name(operator), [int(place) for place in operator.InputsAsNumpy()]
        reads = self.layer(source)
        if name == "PRELU":
            self.layers[reads].activation, self.layers[reads].slopes = PARAMETRIC, self.constant(others[0]).reshape(-1)
            return reads
        if name == "PAD":
            self.layers[reads].channels += int(self.constant(others[0])[-1].sum())
            return reads
        if name == "MAX_POOL_2D":
            same = [place for place, layer in enumerate(self.layers) if layer.kind == "pool" and layer.reads == reads]
            return same[0] if same else self.add(Layer("pool", reads, channels=self.layers[reads].channels))
        if name == "ADD":
            return self.add(Layer("add", reads, other=self.layer(others[0]), channels=self.layers[reads].channels))
        weight, bias = self.constant(others[0]), self.constant(others[1])
        if name == "DEPTHWISE_CONV_2D":
            options = tflite.DepthwiseConv2DOptions()
            options.Init(operator.BuiltinOptions().Bytes, operator.BuiltinOptions().Pos)
            return self.add(Layer("depthwise", reads, weights=[weight[0], bias], stride=options.StrideH(), channels=len(bias)))
        if reads is None:
            return self.add(Layer("stem", weights=[weight, bias], channels=len(bias)))
        if weight.shape[1] == 1:
            return self.add(Layer("pointwise", reads, weights=[weight[:, 0, 0], bias], channels=len(bias)))
        self.layers[reads].output = True
        return self.add(Layer("connected", reads, weights=[weight.reshape(len(bias), -1), bias], channels=len(bias)))


def layers_of(path):
    """The layers, and at their end the two that are connected with a whole map."""
    graph = Graph(path)
    for tensor in graph.graph.OutputsAsNumpy():
        graph.layer(int(tensor))
    kinds = [[layer for layer in graph.layers if (layer.kind == "connected") == is_last] for is_last in (False, True)]
    places = {id(layer): place for place, layer in enumerate(kinds[0] + kinds[1])}
    for layer in graph.layers:
        for name in ("reads", "other"):
            if getattr(layer, name) is not None:
                setattr(layer, name, places[id(graph.layers[getattr(layer, name)])])
    return kinds[0] + kinds[1]


def run(layers, image, watch=lambda index, part, values: None):
    """The points (x, y in pixels of the input, z) and the score before the logistic function, of an image [row][column][RGB], 0…1."""
    maps = []
    for index, layer in enumerate(layers):
        source = image if layer.kind == "stem" else maps[layer.reads]
        if layer.kind == "stem":
            weight, bias = layer.weights
            taps = weight.transpose(1, 2, 3, 0).reshape(9, 3, -1)
            values = sum(view @ tap for view, tap in zip(windows(source, 3, 2), taps)) + bias
        elif layer.kind == "pointwise":
            values = source @ layer.weights[0].T + layer.weights[1]
        elif layer.kind == "depthwise":
            taps, bias = layer.weights
            values = numpy.broadcast_to(bias, [-(-side // layer.stride) for side in source.shape[:2]] + [len(bias)])
            for tap, view in enumerate(windows(source, 3, layer.stride)):
                values = values + view * taps[tap // 3, tap % 3]
                if tap % 3 == 2:
                    watch(index, "sums", values)
        elif layer.kind == "pool":
            height, width, count = source.shape
            values = source.reshape(height // 2, 2, width // 2, 2, count).max((1, 3))
            values = numpy.pad(values, ((0, 0), (0, 0), (0, layer.channels - count)))
        elif layer.kind == "add":
            values = source + maps[layer.other]
        elif layer.kind == "connected":
            values = (layer.weights[0] @ source.reshape(-1) + layer.weights[1]).reshape(1, 1, -1)
        watch(index, "before", values)
        if layer.activation == PARAMETRIC:
            values = numpy.where(values < 0, values * layer.slopes, values)
        watch(index, "out", values)
        maps.append(values)
    return maps[-2].reshape(-1, 3), float(maps[-1].reshape(-1)[0])
