extension OutputFormat: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .jpeg(let quality, let subsampling, let isProgressive):
      key.append(case: "jpeg")
      key.field("quality", quality)
      key.field("subsampling", subsampling)
      key.field("progressive", isProgressive)
    case .png: key.append(case: "png")
    case .webp(let quality):
      key.append(case: "webp")
      key.field("quality", quality)
    case .webpLossless: key.append(case: "webp-lossless")
    case .avif(let quality, let subsampling, let speed):
      key.append(case: "avif")
      key.field("quality", quality)
      key.field("subsampling", subsampling)
      key.field("speed", speed)
    case .tiff: key.append(case: "tiff")
    case .gif: key.append(case: "gif")
    }
  }
}

extension ChromaSubsampling: StableKeyed {}
