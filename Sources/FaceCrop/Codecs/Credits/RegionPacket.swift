/// A writer of faces as an XMP packet with the schema of the Metadata Working Group.
public enum RegionPacket {
  /// Returns a packet with the faces of a detection, and their names if known. Coordinates refer to the image as stored.
  public static func written(_ detection: Detection) -> [UInt8] {
    let stored = detection.orientation.applied(to: detection.size)
    func number(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
    let items = detection.faces.prefix(FaceRegion.most).map { face in
      let box = detection.orientation.stored(face.box.clamped())
      let name = face.name.map { " mwg-rs:Name=\"\(escaped($0))\"" } ?? ""
      return """
        <rdf:li><rdf:Description mwg-rs:Type="Face"\(name)>
        <mwg-rs:Area stArea:x="\(number(box.midX))" stArea:y="\(number(box.midY))" \
        stArea:w="\(number(box.width))" stArea:h="\(number(box.height))" stArea:unit="normalized"/>
        </rdf:Description></rdf:li>

        """
    }
    let document = """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="\(RDF.namespace)">
      <rdf:Description rdf:about="" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" \
      xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#" xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#">
      <mwg-rs:Regions rdf:parseType="Resource">
      <mwg-rs:AppliedToDimensions stDim:w="\(stored.width)" stDim:h="\(stored.height)" stDim:unit="pixel"/>
      <mwg-rs:RegionList><rdf:Bag>
      \(items.joined())</rdf:Bag></mwg-rs:RegionList>
      </mwg-rs:Regions>
      </rdf:Description>
      </rdf:RDF>
      </x:xmpmeta>
      <?xpacket end="w"?>

      """
    return Array(document.utf8)
  }

  /// Escapes a text for an attribute.
  private static func escaped(_ text: String) -> String {
    RDF.escaped(
      text, by: ["&": "&amp;", "<": "&lt;", "\"": "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"])
  }
}
