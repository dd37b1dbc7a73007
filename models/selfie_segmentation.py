"""MediaPipe's selfie segmentation as the list of layers in Sources/CNetworks/segmentation.c, in floats.

Reads either of the authors' files with the Python package tflite: both networks have the same layers. Channels are filled up to multiples of 16 with zeros.
"""
import hashlib
import sys

import numpy
import tflite

from sixteen_bits import LINEAR, RECTIFIED, SWISHED

# The square and the landscape network.
ORIGINS = {
    "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c": "selfie_segmentation",
    "a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd": "selfie_segmentation_landscape",
}


class Layer:
    """One layer: `kind`, the layers it reads, and its weights as floats."""

    def __init__(self, kind, activation=LINEAR, reads=None, other=None, pooled=None, stride=1, adds=False, output=False):
        self.kind, self.activation, self.reads, self.other, self.pooled = kind, activation, reads, other, pooled
        self.stride, self.adds, self.output = stride, adds, output
        self.weights = None


def name_of(path):
    """The network's name, by the authors' file."""
    with open(path, "rb") as file:
        name = ORIGINS.get(hashlib.sha256(file.read()).hexdigest())
    return name or sys.exit(f"{path} is neither of the authors' files")


def layers_of(path):
    name_of(path)
    with open(path, "rb") as file:
        content = file.read()
    parameters = iter(parameters_of(tflite.Model.GetRootAsModel(content, 0)))
    layers = []

    def add(kind, **options):
        layer = Layer(kind, **options)
        if kind in ("stem", "pointwise", "depthwise", "transposed"):
            layer.weights = next(parameters)
        layers.append(layer)
        return len(layers) - 1

    def gate(reads, pooled=None, other=None, count=2):
        place = add("gate", reads=reads, pooled=reads if pooled is None else pooled, other=other)
        layers[place].weights = [next(parameters) for _ in range(count)]
        return place

    def bottleneck(reads):
        add("pointwise", reads=reads, activation=SWISHED)
        place = gate(add("depthwise", reads=len(layers) - 1, activation=SWISHED))
        add("pointwise", reads=place)
        return add("add", reads=reads, other=len(layers) - 1)

    add("stem", activation=SWISHED)
    add("pointwise", reads=0, activation=RECTIFIED)
    fine = add("pointwise", reads=gate(add("depthwise", reads=1, activation=RECTIFIED, stride=2)))
    add("pointwise", reads=fine, activation=RECTIFIED)
    add("pointwise", reads=add("depthwise", reads=len(layers) - 1, activation=RECTIFIED, stride=2))
    add("pointwise", reads=7, activation=RECTIFIED)
    add("pointwise", reads=add("depthwise", reads=8, activation=RECTIFIED))
    middle = add("add", reads=7, other=10)
    add("pointwise", reads=middle, activation=SWISHED)
    last = add("pointwise", reads=gate(add("depthwise", reads=12, activation=SWISHED, stride=2)))
    for _ in range(4):
        last = bottleneck(last)
    wide = add("pointwise", reads=last, activation=RECTIFIED)
    last = gate(wide, pooled=last, count=1)
    for map_ in (middle, fine, 0):
        add("pointwise", reads=last)
        enlarged = add("enlarge", reads=len(layers) - 1)
        add("pointwise", reads=gate(map_, other=enlarged), activation=RECTIFIED)
        last = add("depthwise", reads=len(layers) - 1, activation=RECTIFIED, adds=True)
    add("transposed", reads=last, output=True)
    for layer in layers:
        fill_up(layer)
    layers[0].channels = 16
    for layer in layers:
        if layer.kind in ("stem", "pointwise", "transposed"):
            layer.channels = len(layer.weights[1])
        elif layer.kind == "gate":
            layer.channels = len(layer.weights[-1][1])
        else:
            layer.channels = layers[layer.reads].channels
    return layers


def parameters_of(model):
    """Weights and biases of the convolutions, in the order in which they run."""
    graph = model.Subgraphs(0)
    names = {value: name for name, value in vars(tflite.BuiltinOperator).items() if not name.startswith("_")}
    constants = {}

    def constant(place):
        tensor = graph.Tensors(place)
        buffer = model.Buffers(tensor.Buffer())
        if buffer.DataLength() == 0:
            return None
        kind = {0: numpy.float32, 1: numpy.float16, 2: numpy.int32}[tensor.Type()]
        return numpy.frombuffer(buffer.DataAsNumpy().tobytes(), kind).reshape(tensor.ShapeAsNumpy()).astype(float)

    for place in range(graph.OperatorsLength()):
        operator = graph.Operators(place)
        code = model.OperatorCodes(operator.OpcodeIndex())
        name = names[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
        inputs = [int(index) for index in operator.InputsAsNumpy()]
        if name == "DEQUANTIZE":
            constants[int(operator.OutputsAsNumpy()[0])] = constant(inputs[0])
        elif name in ("CONV_2D", "DEPTHWISE_CONV_2D", "CUSTOM"):
            yield [constants[i] if i in constants else constant(i) for i in inputs[1:]]


def filled(array, axis):
    missing = -array.shape[axis] % 16
    return numpy.pad(array, [(0, missing if index == axis else 0) for index in range(array.ndim)])


def fill_up(layer):
    """Brings weights to [output][input] and the like, with channels filled up."""
    if layer.kind == "stem":
        layer.weights = list(layer.weights)
    elif layer.kind == "pointwise":
        weight, bias = layer.weights
        layer.weights = [filled(filled(weight[:, 0, 0], 0), 1), filled(bias, 0)]
    elif layer.kind == "depthwise":
        weight, bias = layer.weights
        layer.weights = [filled(weight[0], 2), filled(bias, 0)]
    elif layer.kind == "transposed":
        weight, bias = layer.weights
        layer.weights = [filled(weight[0].reshape(4, -1), 0), filled(numpy.repeat(bias, 4), 0)]
    elif layer.kind == "gate":
        pairs = [(weight[:, 0, 0], bias) for weight, bias in layer.weights]
        (first, first_bias), (last, last_bias) = pairs[0], pairs[-1]
        if len(pairs) == 1:
            layer.weights = [(filled(filled(last, 0), 1), filled(last_bias, 0))]
        else:
            layer.weights = [(filled(first, 1), first_bias), (filled(last, 0), filled(last_bias, 0))]


def windows(map_, kernel, stride):
    """The taps' views of a map [row][column][channel], with zeros around it as TensorFlow's SAME padding has them."""
    before, after = (kernel - stride) // 2, kernel - stride - (kernel - stride) // 2
    padded = numpy.pad(map_, ((before, after), (before, after), (0, 0)))
    height, width = map_.shape[0] // stride, map_.shape[1] // stride
    for row in range(kernel):
        for column in range(kernel):
            yield padded[row : row + stride * height : stride, column : column + stride * width : stride][:height, :width]


def enlarged(map_):
    for axis in (0, 1):
        edge = [(1, 1) if index == axis else (0, 0) for index in range(3)]
        padded = numpy.pad(map_, edge, mode="edge")
        before, here, after = (padded.take(range(start, start + map_.shape[axis]), axis) for start in range(3))
        both = numpy.stack([0.75 * here + 0.25 * before, 0.75 * here + 0.25 * after], axis + 1)
        map_ = both.reshape([size * (2 if index == axis else 1) for index, size in enumerate(map_.shape)])
    return map_


def logistic(values):
    return 1 / (1 + numpy.exp(-numpy.clip(values, -60, 60)))


def run(layers, image, watch=lambda index, part, values: None):
    """The outputs of an image [row][column][RGB], 0…1, before the logistic function. `watch` sees what the kernels hold on the way."""
    maps = []
    for index, layer in enumerate(layers):
        source = image if layer.kind == "stem" else maps[layer.reads]
        if layer.kind == "stem":
            weight, bias = layer.weights
            taps = weight.transpose(1, 2, 3, 0).reshape(9, 3, -1)
            values = sum(view @ tap for view, tap in zip(windows(source, 3, 2), taps)) + bias
        elif layer.kind in ("pointwise", "transposed"):
            values = source @ layer.weights[0].T + layer.weights[1]
        elif layer.kind == "depthwise":
            taps, bias = layer.weights
            values = numpy.broadcast_to(bias, [side // layer.stride for side in source.shape[:2]] + [len(bias)])
            for tap, view in enumerate(windows(source, len(taps), layer.stride)):
                values = values + view * taps[tap // len(taps), tap % len(taps)]
                if tap % len(taps) == len(taps) - 1:
                    watch(index, "sums", values)
        elif layer.kind == "add":
            values = source + maps[layer.other]
        elif layer.kind == "enlarge":
            values = enlarged(source)
        elif layer.kind == "gate":
            factors = maps[layer.pooled].mean((0, 1)) + (0 if layer.other is None else maps[layer.other].mean((0, 1)))
            for place, (weight, bias) in enumerate(layer.weights):
                factors = weight @ factors + bias
                factors = logistic(factors) if place == len(layer.weights) - 1 else numpy.maximum(factors, 0)
            watch(index, "product", source * factors)
            values = source * factors + (0 if layer.other is None else maps[layer.other])
        watch(index, "before", values)
        if layer.activation == RECTIFIED:
            values = numpy.maximum(values, 0)
        elif layer.activation == SWISHED:
            values = values * numpy.clip(values + 3, 0, 6) / 6
        if layer.adds:
            values = values + source
        watch(index, "out", values)
        maps.append(values)
    return maps[-1]


def mask(outputs):
    """The probabilities of a person of a run's outputs, a pixel each."""
    height, width = outputs.shape[:2]
    return logistic(outputs[..., :4]).reshape(height, width, 2, 2).transpose(0, 2, 1, 3).reshape(2 * height, 2 * width)
