import Testing

@testable import GatewayConfig

@Suite("Complaints, as the files in Complaints/ show them")
struct ComplaintTests {
    @Test(
        "Each broken file has the problems listed beside it",
        arguments: Fixture.names(in: "Complaints", ending: ".yaml"))
    func complaints(name: String) throws {
        var source = MemorySource()
        for name in Fixture.names(in: "Complaints", ending: ".yaml") {
            source.files["\(name).yaml"] = try Fixture.text("Complaints/\(name).yaml")
        }
        let reading = ConfigReading.read("\(name).yaml", from: source)
        let expected = try Fixture.text("Complaints/\(name).txt")
        #expect(reading.lines == expected.split(separator: "\n").map(String.init))
    }
}
