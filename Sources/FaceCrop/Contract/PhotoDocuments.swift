extension PhotoStandard {
  /// The facts of the document's authority; nil for `passport`, which belongs to no country.
  ///
  /// This table is the only place of these facts. `check`, `sheet`, the presets, and `docs/documents.md` read it.
  public var document: PhotoDocument? {
    switch self {
    case .passport: nil
    case .passportAT:
      PhotoDocument(
        "passport, Austria", 35, 45, head: .millimeters(30...36), eyeDistance: 8,
        background: "one light color, ideally gray",
        pages: ["https://www.bmi.gv.at/607/Passbild_Kriterien.aspx"], accessed: Self.day)
    case .passportAU:
      PhotoDocument(
        "passport, Australia", 35, 45, head: .millimeters(32...36), background: "plain, light",
        pages: ["http://usa.embassy.gov.au/whwh/PassportphotosPassportphotos.html"], accessed: Self.day)
    case .passportBT:
      PhotoDocument(
        "passport, Bhutan", 35, 45, head: .part(0.7...0.8), background: "white",
        pages: ["https://www.mfa.gov.bt/passport/photograph-requirements/"], accessed: Self.day)
    case .passportBY:
      PhotoDocument(
        "passport, Belarus", 35, 45, head: .millimeters(32...35), headroom: .millimeters(2...3),
        background: "light, uniform", pages: ["https://italy.mfa.gov.by/it/consular_issues/passport/foto/"],
        accessed: Self.day)
    case .passportDE: Self.german("passport, Germany")
    case .passportFR: Self.french("passport, France")
    case .passportHK:
      PhotoDocument(
        "passport, Hong Kong", 40, 50, head: .millimeters(32...36), background: "plain white",
        leastPixels: PixelSize(width: 1_200, height: 1_600), mostBytes: 5_000_000,
        pages: ["https://www.immd.gov.hk/eng/residents/immigration/traveldoc/photorequirements.html"],
        accessed: Self.day)
    case .passportIN:
      PhotoDocument(
        "passport, India (applied for abroad)", 50.8, 50.8, head: .part(0.7...0.8), background: "plain white",
        pages: ["https://www.indianembassycopenhagen.gov.in/page/photo-specifications-for-passport/"],
        accessed: Self.day)
    case .passportJP:
      PhotoDocument(
        "passport, Japan", 35, 45, head: .millimeters(32...36), headroom: .millimeters(2...6),
        background: "plain, pale",
        pages: ["http://www.pref.miyazaki.lg.jp/kokusai-keizaikoryu/kanko/koryu/shashin.html"], accessed: Self.day)
    case .passportKR:
      PhotoDocument(
        "passport, South Korea", 35, 45, head: .millimeters(32...36), background: "uniform white",
        pages: ["https://www.guri.go.kr/jpn/contents.do?key=3026"], accessed: Self.day)
    case .passportNZ:
      PhotoDocument(
        "passport, New Zealand (applied for online)", leastPixels: PixelSize(width: 900, height: 1_200),
        mostPixels: PixelSize(width: 4_500, height: 6_000), leastBytes: 500_000, mostBytes: 10_000_000,
        pages: ["https://www.passports.govt.nz/Passport-photos---adults"], accessed: Self.day)
    case .passportPL:
      PhotoDocument(
        "passport, Poland", 35, 45, head: .millimeters(31...36), eyes: .millimeters(20...30),
        background: "uniform, light",
        pages: [
          "https://kanton.msz.gov.pl/pl/informacje/paszporty/fotografia/fotografia",
          "https://www.gov.pl/web/uw-mazowiecki/fotografia-paszportowa",
        ], accessed: Self.day)
    case .passportSG:
      PhotoDocument(
        "passport, Singapore", 35, 45, background: "plain white", leastPixels: PixelSize(width: 400, height: 514),
        mostPixels: PixelSize(width: 400, height: 514), mostBytes: 2_000_000,
        pages: ["https://www.ica.gov.sg/common/passport-photo-guidelines"], accessed: Self.day)
    case .passportTC:
      PhotoDocument(
        "passport, Turks and Caicos Islands", 35, 45, head: .millimeters(29...34),
        background: "plain cream or light gray", pages: ["https://gov.tc/passports/photos"], accessed: Self.day)
    case .passportUS:
      PhotoDocument(
        "passport, United States", 50.8, 50.8, head: .millimeters(25...35), background: "plain white or off-white",
        pages: ["https://bg.usembassy.gov/visas/nonimmigrant-visas/photo-requirements/"], accessed: Self.day)
    case .idDE: Self.german("identity card, Germany")
    case .idFR: Self.french("identity card, France")
    case .idIT:
      PhotoDocument(
        "identity card, Italy", 35, 45, head: .part(0.7...0.8), eyes: .millimeters(23...31),
        background: "uniform; light blue, beige, light brown, light gray or white", mostBytes: 500_000,
        pages: ["https://www.cartaidentita.interno.gov.it/richiedi/modalita-di-acquisizione-delle-foto/"],
        accessed: Self.day)
    case .visaCN:
      PhotoDocument(
        "visa, China (applied for in China)", 33, 48, head: .millimeters(28...33), background: "white or light blue",
        pages: ["http://english.nanjing.gov.cn/crj/zpbz/"], accessed: Self.day)
    case .visaSchengen:
      PhotoDocument(
        "Schengen visa (Germany's missions)", 35, 45, head: .millimeters(32...36),
        pages: ["https://riga.diplo.de/lv-lv/service/05-visaeinreise/2718466-2718466"], accessed: Self.day)
    case .visaUS:
      PhotoDocument(
        "visa, United States", 50.8, 50.8, head: .millimeters(25...35), eyes: .millimeters(28...35),
        background: "white or off-white", leastPixels: PixelSize(width: 600, height: 600),
        mostPixels: PixelSize(width: 1_200, height: 1_200), mostBytes: 240_000,
        pages: [
          "https://pl.usembassy.gov/visas/visa-photograph-requirements/",
          "http://travel.state.gov/visa/guide/guide_3882.html",
        ], accessed: Self.day)
    }
  }

  /// The day on which the pages were read.
  private static let day = "2026-11-27"

  private static func german(_ title: String) -> PhotoDocument {
    PhotoDocument(
      title, 35, 45, head: .millimeters(32...36), background: "light",
      pages: ["https://havanna.diplo.de/cu-de/service/02-PaesseAusweise/-/2478946"], accessed: day)
  }

  private static func french(_ title: String) -> PhotoDocument {
    PhotoDocument(
      title, 35, 45, head: .millimeters(32...36), background: "uniform light blue or light gray, not white",
      pages: ["https://passeport.ants.gouv.fr/Vos-demarches/Photographie-d-identite"], accessed: day)
  }
}
