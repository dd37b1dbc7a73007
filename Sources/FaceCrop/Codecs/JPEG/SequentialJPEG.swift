/// The way of all other files of one scan, damaged ones among them: they are read anew for each region, down to its last row.
struct SequentialJPEG {
  let input: JPEGInput

  func decode(
    _ region: RegionRequest, format: PixelBuffer.Format, into sink: inout some RowSink
  ) throws(FaceCropError) {
    let decoder = try input.open()
    try decoder.startRegion(region.rect, scale: region.scale, color: input.color(for: format))
    try input.read(decoder, region.rect.size, format, into: &sink) { (rows) throws(FaceCropError) in
      try input.judge(decoder.damage)
      region.progress.report(rows, of: region.rect.height)
    }
  }
}
