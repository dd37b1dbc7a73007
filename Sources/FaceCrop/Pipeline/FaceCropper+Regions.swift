extension FaceCropper {
  /// Returns the faces that the image's metadata and files beside it mark, in the rotated image. Throws only ``FaceCropError/cancelled`` or
  /// ``FaceCropError/outOfMemory``.
  func regions(
    of header: ImageHeader, _ turn: QuarterTurn, _ sources: RegionSources, _ job: Job
  ) throws(FaceCropError) -> [FaceRegion] {
    var regions: [FaceRegion] = []
    for packet in [sources.sidecar ?? [], header.credits.xmp] where packet.count <= CropOutput.largestSidecar {
      regions += try RegionReader.read(packet, job).regions(of: header.size, header.orientation)
    }
    return (regions + sources.others).prefix(FaceRegion.most).map { region in
      // Regions were drawn on the image that its own orientation displays.
      var region = region
      region.box = turn.orientation.displayed(region.box)
      return region
    }
  }
}
