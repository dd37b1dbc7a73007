extension FaceCropper {
  /// Returns the faces that the image's metadata and files beside it mark. Throws only ``FaceCropError/cancelled`` or
  /// ``FaceCropError/outOfMemory``.
  func regions(
    of header: ImageHeader, _ sources: RegionSources, _ job: Job
  ) throws(FaceCropError) -> [FaceRegion] {
    var regions: [FaceRegion] = []
    for packet in [sources.sidecar ?? [], header.credits.xmp] where packet.count <= CropOutput.largestSidecar {
      regions += try RegionReader.read(packet, job).regions(of: header.size, header.orientation)
    }
    return Array((regions + sources.others).prefix(FaceRegion.most))
  }
}
