import Testing

@testable import FaceCropCLI

/// The page itself; `make test-report` opens it in a browser.
struct ReportPageTests {
  @Test func theCommandIsTheRunsWithThePlans() {
    let run = ["/usr/bin/facecrop", "batch", "-r", "my photos", "--plan-in", "old", "--plan-in=x", "--no-resume"]
    #expect(
      ReportPage.command(applying: "plans.ndjson", after: run)
        == "facecrop batch -r 'my photos' --plan-in plans.ndjson")
  }

  @Test func addressesLeadFromThePageToTheFile() {
    #expect(RelativeAddress.text(to: "/a/b/c d#.jpg", from: "/a/x") == "../b/c%20d%23.jpg")
    #expect(RelativeAddress.text(to: "/a", from: "/a") == ".")
  }
}
