import Testing

@testable import GatewayConfig

/// The files whose plans and descriptions stand beside the tests.
enum OutputFixture {
    /// The values of the variables of `features.yaml`, as numbers or times would show them, too.
    static let secrets = ["s3cr3t", "733", "737"]

    static func document(_ name: String) throws -> ConfigDocument {
        guard name == "features" else { return try #require(Fixture.example(name).document) }
        let source = MemorySource(
            files: ["features.yaml": try Fixture.text("Output/features.yaml")],
            variables: [
                "HOST": "s3cr3t.internal", "PLACE": "s3cr3t", "SLOW": "733s", "SIZE": "737", "TRIES": "7",
            ])
        let reading = ConfigReading.read("features.yaml", from: source)
        #expect(reading.lines.filter { $0.contains("error") } == [])
        return try #require(reading.document)
    }
}
