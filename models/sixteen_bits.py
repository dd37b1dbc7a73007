"""Scales the layers of a network, in floats, to the integers of 16 bits on which the kernels in Sources/CNetworks run.

Each channel's activations are integers in a unit of its own.

The result holds the layers in their order, least byte first. Convolution: 16 bits, [pair of inputs][output][2] (of the first layer
[row][pair of samples][output][2], where a row is red, green and blue of three pixels and a sample that does not count), 32 bits
for each bias with the half that rounds, 32 bits for the shift of the sums. Depthwise convolution: 16 bits in 2^-16,
[row][column][channel], 16 bits for each bias, and where the input is added 16 bits for the factor of each of its channels. Gate, as floats of 32 bits: [output][input] and biases of each of its layers,
then for each channel the input's unit over the result's times 2^16. Behind a layer with the hard-swish function: 16 bits for each
channel's slope, 32 bits for the bits of the fraction. Behind one with a parametric rectifier: 16 bits for the nearest of -1, 0 and 1 to
each channel's slope below 0, and 16 bits for half of the rest in 2^-16. Behind an output, or a map that a gate averages: each channel's
unit as a float. A connected layer: 16 bits, [output][input], in units of the output's scale, then for each output the scale and the
bias as floats.
"""
import hashlib
import sys

import numpy

LINEAR, RECTIFIED, SWISHED, PARAMETRIC = range(4)

# The integer of the largest activation that was seen, unless a network needs more exact ones.
SEEN = 16384
# A usual one, by which a shift is chosen.
USUAL = 1000
# Bits of a sum that are shifted out at least.
LEAST_SHIFT = 6
# Of inputs of 32767, before weights are rounded.
MOST_OF_A_SUM = 2**31 - 2**22
# What a factor may be at most in 2^-16, and a little room.
MOST_OF_A_FACTOR = 32760


def rounded(values, bits):
    result = numpy.rint(values)
    limit = 2 ** (bits - 1) - 1
    if abs(result).max() > limit:
        sys.exit(f"{abs(result).max()} is not in {bits} bits")
    return result.astype(f"<i{bits // 8}")


def in_twos(weights):
    """[output][input] as [pair of inputs][output][2]."""
    return weights.reshape(len(weights), -1, 2).transpose(1, 0, 2)


def number(value):
    return numpy.array([value], dtype="<i4")


class Units:
    """The unit of each channel of each layer's rows, before its activation (`before`) and behind it (`out`)."""

    def __init__(self, layers, ranges, largest=SEEN):
        self.layers = layers
        self.seen = [self.of(ranges[index], largest) for index in range(len(layers))]
        self.before = [units.copy() for units in self.seen]
        self.shifts = {}
        while self.grow():
            pass

    @staticmethod
    def of(ranges, largest):
        seen = numpy.maximum.reduce([numpy.array(values) for values in ranges.values()])
        # A channel that is always 0 has a unit, too.
        return numpy.maximum(seen, seen.max() / 1000) / largest

    def out(self, index):
        return self.before[index] * (2 if self.layers[index].activation == SWISHED else 1)

    def is_positive(self, index):
        layer = self.layers[index]
        if layer.kind == "gate" and layer.other is None:
            return self.is_positive(layer.reads)
        return layer.activation == RECTIFIED

    def least(self, index):
        """A convolution's units by which its sums of any inputs fit, were they not shifted."""
        layer = self.layers[index]
        weights = layer.weights[0] * self.out(layer.reads)
        if self.is_positive(layer.reads):
            sums = numpy.maximum(weights.clip(min=0).sum(axis=1), -weights.clip(max=0).sum(axis=1))
        else:
            sums = abs(weights).sum(axis=1)
        return numpy.maximum((sums * 32767 + abs(layer.weights[1])) / MOST_OF_A_SUM, abs(weights).max(axis=1) / 32767)

    def grow(self):
        """Makes units larger where numbers in them would not fit; whether any was."""
        changed = False

        def need(index, units):
            nonlocal changed
            factor = 2 if self.layers[index].activation == SWISHED else 1
            units = units / factor
            if (units > self.before[index] * (1 + 1e-9)).any():
                self.before[index] = numpy.maximum(self.before[index], units)
                changed = True

        for index, layer in enumerate(self.layers):
            if layer.kind in ("pointwise", "transposed"):
                least, now = self.least(index), self.before[index]

                def error(shift):
                    units = numpy.maximum(now, least * 2.0**shift)
                    return ((units / now) ** 2 * (1 + len(layer.weights[0][0]) * (USUAL / 2.0**shift) ** 2)).sum()

                if index not in self.shifts:
                    self.shifts[index] = min(range(1, 17), key=error)
                # Inputs in larger units ask for a smaller shift, so that units do not grow in a circle.
                while self.shifts[index] > LEAST_SHIFT and (least * 2.0 ** self.shifts[index] > now * (1 + 1e-9)).any():
                    self.shifts[index] -= 1
                need(index, self.out(index) / now * numpy.maximum(now, least * 2.0 ** self.shifts[index]))
            elif layer.kind == "depthwise":
                taps, bias = abs(layer.weights[0]), abs(layer.weights[1])
                least = numpy.maximum(taps.max((0, 1)) / 32767, taps.sum(1).max(0) / 65500) * 65536 * self.out(layer.reads)
                need(index, self.out(index) / self.before[index] * numpy.maximum(least, bias / 32700))
                if layer.adds:
                    need(index, self.out(layer.reads) * 65536 / MOST_OF_A_FACTOR)
            elif layer.kind == "gate":
                need(index, self.out(layer.reads) * 65536 / MOST_OF_A_FACTOR)
            same = [index]
            if layer.kind in ("add", "enlarge", "pool"):
                same.append(layer.reads)
            if layer.other is not None:
                same.append(layer.other)
            # A pooled map may have more channels than its input, which are 0.
            count = min(len(self.out(place)) for place in same)
            largest = numpy.maximum.reduce([self.out(place)[:count] for place in same])
            for place in same:
                need(place, numpy.concatenate([largest, self.out(place)[count:]]))
            if max(self.before[index]) > 1:
                sys.exit(f"units of layer {index} grow without an end")
        return changed


def parts_of(index, layers, units):
    layer = layers[index]
    before, out = units.before[index], units.out(index)
    if layer.kind == "stem":
        weight = layer.weights[0].reshape(16, 3, 9) / 255 / before[:, None, None]
        weight = numpy.concatenate([weight, numpy.zeros((16, 3, 1))], axis=2).reshape(16, 30)
        shift = int(numpy.floor(numpy.log2(32767 / abs(weight).max())))
        yield in_twos(rounded(weight * 2**shift, 16))
        yield rounded(layer.weights[1] / before * 2**shift + 2 ** (shift - 1), 32)
        yield number(shift)
    elif layer.kind in ("pointwise", "transposed"):
        shift = units.shifts[index]
        scale = 2.0**shift / before
        weights = rounded(layer.weights[0] * units.out(layer.reads) * scale[:, None], 16)
        biases = rounded(layer.weights[1] * scale + 2 ** (shift - 1), 32)
        wide = weights.astype(int)
        sums = numpy.maximum(wide.clip(min=0).sum(1), -wide.clip(max=0).sum(1)) if units.is_positive(layer.reads) else abs(wide).sum(1)
        if (sums * 32767 + abs(biases.astype(int)) >= 2**31).any():
            sys.exit(f"sums of layer {index} may not fit")
        yield in_twos(weights)
        yield biases
        yield number(shift)
    elif layer.kind == "depthwise":
        taps, bias = layer.weights
        whole = rounded(taps * units.out(layer.reads) / before * 65536, 16)
        if (abs(whole.astype(int)).sum(1) >= 2**16 - 8).any():
            sys.exit(f"products of layer {index} may not fit")
        yield whole
        # Each product is rounded down, by a half on average.
        yield rounded(bias / before + taps.shape[0] ** 2 / 2, 16)
        if layer.adds:
            yield rounded(units.out(layer.reads) / out * 65536, 16)
    elif layer.kind == "gate":
        for weight, bias in layer.weights:
            yield weight.astype("<f4")
            yield bias.astype("<f4")
        yield (units.out(layer.reads) / out * 65536).astype("<f4")
    if layer.activation == SWISHED:
        bits = min(int(numpy.floor(numpy.log2(32767 * 6 / 65536 / before.max()))), 14)
        yield rounded(before / 6 * 2.0**bits * 65536, 16)
        yield number(bits)
    elif layer.activation == PARAMETRIC:
        whole = numpy.rint(layer.slopes).clip(-1, 1)
        yield rounded(whole, 16)
        yield rounded((layer.slopes - whole) / 2 * 65536, 16)
    averaged = {place for gate in layers if gate.kind == "gate" for place in (gate.pooled, gate.other)}
    if layer.output or index in averaged:
        yield out.astype("<f4")


def connected_parts(layer, units):
    """A layer over a whole map with the given units, channels last."""
    weights, bias = layer.weights
    weights = weights * numpy.tile(units, weights.shape[1] // len(units))
    scale = abs(weights).max(axis=1) / 32767
    yield rounded(weights / scale[:, None], 16)
    yield scale.astype("<f4")
    yield bias.astype("<f4")


def write(parts, target):
    content = b"".join(numpy.ascontiguousarray(part).tobytes() for part in parts)
    with open(target, "wb") as file:
        file.write(content)
    print(hashlib.sha256(content).hexdigest(), len(content), target)
