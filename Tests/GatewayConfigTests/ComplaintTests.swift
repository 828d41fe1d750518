import Testing

@testable import GatewayConfig

@Suite("Complaints, as the files in Complaints/ show them")
struct ComplaintTests {
    @Test(
        "Each broken file has the problems listed beside it",
        arguments: Fixture.names(in: "Complaints", ending: ".yaml"))
    func complaints(name: String) throws {
        var source = MemorySource()
        for ending in [".yaml", ".keys", ".jwks", ".json"] {
            for name in Fixture.names(in: "Complaints", ending: ending) {
                source.files[name + ending] = try Fixture.text("Complaints/\(name)\(ending)")
            }
        }
        let reading = ConfigReading.read("\(name).yaml", from: source)
        let expected = try Fixture.text("Complaints/\(name).txt")
        #expect(reading.lines == expected.split(separator: "\n").map(String.init))
    }
}
