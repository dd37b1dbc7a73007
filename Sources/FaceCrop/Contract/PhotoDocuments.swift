extension PhotoStandard {
  /// The facts of the document's authority; nil for `passport`, which belongs to no country.
  ///
  /// This table is the only place of these facts. `check`, `sheet`, the presets, and `docs/documents.md` read it.
  public var document: PhotoDocument? {
    switch self {
    case .passport: nil
    case .passportAT:
      PhotoDocument(
        title: "passport, Austria", width: 35, height: 45, headHeight: .millimeters(30...36), eyeDistance: 8,
        background: "one light color, ideally gray", pages: ["https://www.bmi.gv.at/607/Passbild_Kriterien.aspx"])
    case .passportAU:
      PhotoDocument(
        title: "passport, Australia", width: 35, height: 45, headHeight: .millimeters(32...36),
        background: "plain, light", pages: ["http://usa.embassy.gov.au/whwh/PassportphotosPassportphotos.html"])
    case .passportBT:
      PhotoDocument(
        title: "passport, Bhutan", width: 35, height: 45, headHeight: .part(0.7...0.8), background: "white",
        tones: [.white], pages: ["https://www.mfa.gov.bt/passport/photograph-requirements/"])
    case .passportBY:
      PhotoDocument(
        title: "passport, Belarus", width: 35, height: 45, headHeight: .millimeters(32...35),
        headroom: .millimeters(2...3), background: "light, uniform",
        pages: ["https://italy.mfa.gov.by/it/consular_issues/passport/foto/"])
    case .passportDE, .idDE:
      PhotoDocument(
        title: self == .idDE ? "identity card, Germany" : "passport, Germany", width: 35, height: 45,
        headHeight: .millimeters(32...36), background: "light",
        pages: ["https://havanna.diplo.de/cu-de/service/02-PaesseAusweise/-/2478946"])
    case .passportFR, .idFR:
      PhotoDocument(
        title: self == .idFR ? "identity card, France" : "passport, France", width: 35, height: 45,
        headHeight: .millimeters(32...36), background: "uniform light blue or light gray, not white",
        tones: [.lightGray, .lightBlue],
        pages: ["https://passeport.ants.gouv.fr/Vos-demarches/Photographie-d-identite"])
    case .passportHK:
      PhotoDocument(
        title: "passport, Hong Kong", width: 40, height: 50, headHeight: .millimeters(32...36),
        background: "plain white",
        tones: [.white], leastPixels: PixelSize(width: 1_200, height: 1_600), mostBytes: 5_000_000,
        pages: ["https://www.immd.gov.hk/eng/residents/immigration/traveldoc/photorequirements.html"])
    case .passportIN:
      PhotoDocument(
        title: "passport, India (applied for abroad)", width: 50.8, height: 50.8, headHeight: .part(0.7...0.8),
        background: "plain white", tones: [.white],
        pages: ["https://www.indianembassycopenhagen.gov.in/page/photo-specifications-for-passport/"])
    case .passportJP:
      PhotoDocument(
        title: "passport, Japan", width: 35, height: 45, headHeight: .millimeters(32...36),
        headroom: .millimeters(2...6), background: "plain, pale",
        pages: ["http://www.pref.miyazaki.lg.jp/kokusai-keizaikoryu/kanko/koryu/shashin.html"])
    case .passportKR:
      PhotoDocument(
        title: "passport, South Korea", width: 35, height: 45, headHeight: .millimeters(32...36),
        background: "uniform white", tones: [.white], pages: ["https://www.guri.go.kr/jpn/contents.do?key=3026"])
    case .passportNZ:
      PhotoDocument(
        title: "passport, New Zealand (applied for online)", leastPixels: PixelSize(width: 900, height: 1_200),
        mostPixels: PixelSize(width: 4_500, height: 6_000), leastBytes: 500_000, mostBytes: 10_000_000,
        pages: ["https://www.passports.govt.nz/Passport-photos---adults"])
    case .passportPL:
      PhotoDocument(
        title: "passport, Poland", width: 35, height: 45, headHeight: .millimeters(31...36),
        eyeLine: .millimeters(20...30), background: "uniform, light",
        pages: [
          "https://kanton.msz.gov.pl/pl/informacje/paszporty/fotografia/fotografia",
          "https://www.gov.pl/web/uw-mazowiecki/fotografia-paszportowa",
        ])
    case .passportSG:
      PhotoDocument(
        title: "passport, Singapore", width: 35, height: 45, background: "plain white", tones: [.white],
        leastPixels: PixelSize(width: 400, height: 514), mostPixels: PixelSize(width: 400, height: 514),
        mostBytes: 2_000_000, pages: ["https://www.ica.gov.sg/common/passport-photo-guidelines"])
    case .passportTC:
      PhotoDocument(
        title: "passport, Turks and Caicos Islands", width: 35, height: 45, headHeight: .millimeters(29...34),
        background: "plain cream or light gray", tones: [.lightGray, .cream], pages: ["https://gov.tc/passports/photos"]
      )
    case .passportUS:
      PhotoDocument(
        title: "passport, United States", width: 50.8, height: 50.8, headHeight: .millimeters(25...35),
        background: "plain white or off-white", tones: [.white, .offWhite],
        pages: ["https://bg.usembassy.gov/visas/nonimmigrant-visas/photo-requirements/"])
    case .idIT:
      PhotoDocument(
        title: "identity card, Italy", width: 35, height: 45, headHeight: .part(0.7...0.8),
        eyeLine: .millimeters(23...31), background: "uniform; light blue, beige, light brown, light gray or white",
        tones: [.lightGray, .white, .lightBlue, .beige, .lightBrown], mostBytes: 500_000,
        pages: ["https://www.cartaidentita.interno.gov.it/richiedi/modalita-di-acquisizione-delle-foto/"])
    case .visaCN:
      PhotoDocument(
        title: "visa, China (applied for in China)", width: 33, height: 48, headHeight: .millimeters(28...33),
        background: "white or light blue", tones: [.white, .lightBlue],
        pages: ["http://english.nanjing.gov.cn/crj/zpbz/"])
    case .visaSchengen:
      PhotoDocument(
        title: "Schengen visa (Germany's missions)", width: 35, height: 45, headHeight: .millimeters(32...36),
        background: "neutral, light (such as gray)",
        pages: [
          "https://riga.diplo.de/lv-lv/service/05-visaeinreise/2718466-2718466",
          "http://www.germany.info/Vertretung/usa/en/05__Legal/02__Directory__Services/01__Visa/"
            + "__Visa__Photo__Instructions.html",
        ], accessed: "2026-12-01")
    case .visaUS:
      PhotoDocument(
        title: "visa, United States", width: 50.8, height: 50.8, headHeight: .millimeters(25...35),
        eyeLine: .millimeters(28...35), background: "white or off-white", tones: [.white, .offWhite],
        leastPixels: PixelSize(width: 600, height: 600), mostPixels: PixelSize(width: 1_200, height: 1_200),
        mostBytes: 240_000,
        pages: [
          "https://pl.usembassy.gov/visas/visa-photograph-requirements/",
          "http://travel.state.gov/visa/guide/guide_3882.html",
        ])
    }
  }
}
