internal import CJPEGShim

/// The blocks of a JPEG file, whose samples can be replaced row of MCUs by row of MCUs.
protocol BlockEditor {
  /// The blocks of each component.
  var components: [FCJPEGBlocks] { get }

  /// Returns the mean sample of each block in a rectangle of blocks of a component.
  func means(of component: Int, in rect: PixelRect) throws(FaceCropError) -> [Float]

  /// Replaces samples in a row of MCUs. Rows come in order, each once. Nil changes nothing.
  func edit(row: Int, _ strips: UnsafePointer<FCJPEGStrip>?) throws(FaceCropError)
}

extension BlockEditor {
  /// Replaces the samples in all areas.
  func hide(
    _ areas: [HiddenArea], by mode: BlurMode, _ job: Job, progress: (_ fraction: Double) -> Void
  ) throws(FaceCropError) {
    let components = components
    var planes: [[HiddenPlane]] = []
    for area in areas {
      try job.step()
      var seed: UInt64?
      var ofArea: [HiddenPlane] = []
      for (component, blocks) in components.enumerated() {
        try job.check()
        let source = HiddenPlane.Source(blocks, component, of: components)
        let plane = try HiddenPlane(area, mode, in: source, seed: seed) { (rect) throws(FaceCropError) in
          try means(of: component, in: rect)
        }
        seed = plane.seed
        ofArea.append(plane)
      }
      planes.append(ofArea)
    }
    var strips = StripBuffers(components)
    let rows = components.first.map { Int($0.rows / $0.vertical) } ?? 0
    for row in 0..<rows {
      try job.check()
      let touched = areas.indices.filter { areas[$0].touches(rows: components[0].pixelRows(ofMCUs: row)) }
      if touched.isEmpty {
        try unsafe edit(row: row, nil)
      } else {
        for index in touched {
          try job.check()
          strips.paint(planes[index], row: row)
        }
        try unsafe strips.withStrips { (strips) throws(FaceCropError) in try unsafe edit(row: row, strips) }
        strips.clear()
      }
      progress(Double(row + 1) / Double(rows))
    }
  }
}

extension HiddenPlane.Source {
  fileprivate init(_ blocks: FCJPEGBlocks, _ component: Int, of all: [FCJPEGBlocks]) {
    self.init(
      pixelsAcross: Double(blocks.horizontalPixels) / Double(blocks.horizontalSamples),
      pixelsDown: Double(blocks.verticalPixels) / Double(blocks.verticalSamples), unit: 8,
      size: PixelSize(width: Int(blocks.columns), height: Int(blocks.rows)),
      noise: blocks.isChroma ? Self.chromaNoise : Self.lumaNoise, solid: blocks.isChroma ? 128 : 0,
      mix: AreaCover.mix(component, of: all.count, hasChroma: all.contains(where: \.isChroma)))
  }
}

extension FCJPEGBlocks {
  /// Returns the rows of pixels of a row of MCUs.
  fileprivate func pixelRows(ofMCUs row: Int) -> Range<Double> {
    let height = 8 * Double(vertical) * Double(verticalPixels) / Double(verticalSamples)
    return Double(row) * height..<Double(row + 1) * height
  }
}

/// The new samples of one row of MCUs, and their masks, for each component.
private struct StripBuffers {
  private let components: [FCJPEGBlocks]
  /// The first sample of each component.
  private let starts: [Int]
  private var samples: [Float]
  private var masks: [UInt8]

  init(_ components: [FCJPEGBlocks]) {
    self.components = components
    let counts = components.map { Int($0.columns) * 8 * 8 * Int($0.vertical) }
    starts = counts.indices.map { counts[..<$0].reduce(0, +) }
    samples = [Float](repeating: 0, count: counts.reduce(0, +))
    masks = [UInt8](repeating: 0, count: samples.count)
  }

  mutating func clear() { masks = [UInt8](repeating: 0, count: masks.count) }

  /// Writes the samples of an area over earlier ones.
  mutating func paint(_ planes: [HiddenPlane], row: Int) {
    for (component, plane) in planes.enumerated() {
      let width = 8 * Int(components[component].columns)
      let height = 8 * Int(components[component].vertical)
      for line in 0..<height {
        let level = plane.levels(row: row * height + line)
        plane.forEachSpan(row: row * height + line, in: 0..<width) { span in
          for column in span {
            samples[starts[component] + line * width + column] = level(column)
            masks[starts[component] + line * width + column] = 1
          }
        }
      }
    }
  }

  func withStrips(
    _ body: (UnsafePointer<FCJPEGStrip>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    try unsafe samples.withUnsafeBufferPointer { (samples) throws(FaceCropError) in
      try unsafe masks.withUnsafeBufferPointer { (masks) throws(FaceCropError) in
        let strips = unsafe components.indices.map { component in
          unsafe FCJPEGStrip(
            x: 0, width: components[component].columns, samples: samples.baseAddress! + starts[component],
            mask: masks.baseAddress! + starts[component])
        }
        try unsafe strips.withUnsafeBufferPointer { (strips) throws(FaceCropError) in
          try unsafe body(strips.baseAddress!)
        }
      }
    }
  }
}
