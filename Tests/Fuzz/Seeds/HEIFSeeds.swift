#if HEIF
  import TestSupport

  /// Small HEIC and AVIF images of all kinds.
  enum HEIFSeeds {
    private static let pattern = Pixels.testPattern(width: 64, height: 64)

    static func all() throws -> [[UInt8]] {
      try ((coded() + described() + derived() + wide()).map { $0.encoded() } + sequences()).map(FuzzInput.seed)
    }

    /// Makes sequences beside a still image, with and without alpha.
    private static func sequences() throws -> [[UInt8]] {
      let images = try (0..<3).map {
        try CodedItem(Pixels.testPattern(width: 32, height: 24, seed: UInt64($0)), codec: .av1, quality: 20)
      }
      let mask = try CodedItem(Pixels.testPattern(width: 32, height: 24, channels: 1), codec: .av1, quality: 20)
      var opaque = HEIFSequenceBuilder(images, times: [40, 60, 80])
      (opaque.perChunk, opaque.plays) = (2, 3)
      var builder = HEIFBuilder(images[0])
      builder.references.append(("auxl", builder.add(mask, [HEIFBuilder.alpha]), [1]))
      var transparent = HEIFSequenceBuilder(images, times: [40, 60, 80])
      (transparent.alpha, transparent.hasWideOffsets, transparent.sizeBits) = ([mask, mask, mask], true, 16)
      return [HEIFBuilder(images[0]).encoded(with: opaque), builder.encoded(with: transparent)]
    }

    /// Makes one image with every variant of a codec.
    private static func coded() throws -> [HEIFBuilder] {
      var items: [CodedItem] = []
      for codec in CodedItem.Codec.allCases {
        for chroma in ["420", "422", "444"] {
          items.append(try CodedItem(pattern, codec: codec, chroma: chroma, quality: 20))
        }
        items.append(try CodedItem(pattern.gray, codec: codec, quality: 20))
      }
      items.append(try CodedItem(pattern, depth: 10, quality: 20))
      items.append(try CodedItem(pattern, quality: 20, hasOffset: true))
      items.append(try CodedItem(pattern, codec: .av1, depth: 12, quality: 20))
      items.append(try CodedItem(Pixels.testPattern(width: 37, height: 27), codec: .av1, quality: 20))
      return items.map { HEIFBuilder($0) }
    }

    /// Makes images with properties: rotated, cropped, with colors and metadata.
    private static func described() throws -> [HEIFBuilder] {
      let hevc = try CodedItem(pattern, quality: 5)
      let av1 = try CodedItem(pattern, codec: .av1, chroma: "444", quality: 5)
      var metadata = HEIFBuilder()
      metadata.addEXIF(MetadataSeeds.tiff, of: metadata.add(hevc, [HEIFBuilder.profile(ICCBuilder.profile(.rgb))]))
      return [
        HEIFBuilder(hevc, HEIFBuilder.aperture(50, 40, halfX: 3, halfY: -5), HEIFBuilder.rotation(1)),
        HEIFBuilder(
          av1, HEIFBuilder.rotation(3), HEIFBuilder.mirror(1), HEIFBuilder.codePoints(9, 16, 9, isFull: false)),
        HEIFBuilder(av1, HEIFBuilder.mirror(0), HEIFBuilder.codePoints(1, 13, 0)),
        HEIFBuilder(hevc, HEIFBuilder.codePoints(12, 18, 6)),
        metadata,
      ]
    }

    /// Makes derived images: tiles, alpha, an identity.
    private static func derived() throws -> [HEIFBuilder] {
      let tile = try CodedItem(pattern, quality: 5)
      let other = try CodedItem(pattern, quality: 30)
      var grid = HEIFBuilder()
      grid.primary = grid.addGrid([tile, other], columns: 2, width: 120, height: 60, [HEIFBuilder.rotation(2)])

      var files = [grid]
      for (codec, isPremultiplied) in [(CodedItem.Codec.hevc, true), (.av1, false)] {
        var builder = HEIFBuilder()
        builder.brand = codec == .hevc ? "heic" : "avif"
        let color = builder.add(try CodedItem(pattern, codec: codec, quality: 5))
        let alpha = builder.add(try CodedItem(pattern.gray, codec: codec, quality: 5), [HEIFBuilder.alpha])
        builder.references.append(("auxl", alpha, [color]))
        if isPremultiplied { builder.references.append(("prem", color, [alpha])) }
        files.append(builder)
      }

      // Alpha of each tile, and an animation beside the image.
      var tiled = HEIFBuilder()
      tiled.primary = tiled.addGrid([tile, other], columns: 2, width: 128, height: 64)
      for index in 1...2 {
        let alpha = tiled.add(try CodedItem(pattern.gray, quality: 5), [HEIFBuilder.alpha])
        tiled.references.append(("auxl", alpha, [index]))
      }
      tiled.behind = HEIFBuilder.movie([3])
      files.append(tiled)

      var identity = HEIFBuilder()
      let source = identity.add(tile, [HEIFBuilder.rotation(1)])
      identity.items.append(.init(type: "iden", properties: [HEIFBuilder.mirror(1)], data: []))
      identity.references.append(("dimg", 2, [source]))
      identity.primary = 2
      return files + [identity]
    }

    /// Makes images so wide that the overview is smaller, and the embedded thumbnail too.
    private static func wide() throws -> [HEIFBuilder] {
      let color: [UInt8] = [90, 140, 200]
      let tile = try CodedItem(Pixels(width: 128, height: 64, color: color), quality: 5)
      let thumbnail = try CodedItem(Pixels(width: 384, height: 32, color: color), codec: .av1, quality: 5)
      var builder = HEIFBuilder()
      builder.primary = builder.addGrid([tile, tile, tile, tile, tile, tile], columns: 6, width: 768, height: 64)
      let without = builder
      let item = builder.add(thumbnail)
      builder.references.append(("thmb", item, [builder.primary]))
      return [without, builder]
    }
  }
#endif
