/// The method for all other files with one scan, damaged ones included. Each region is read from the start of the file
/// to its last row.
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
