import Testing

@testable import GatewayConfig

/// The files whose plans and descriptions stand beside the tests.
enum OutputFixture {
    /// The values of the variables of the files beside the tests, as numbers or times would show them, too.
    static let secrets = ["s3cr3t", "733", "737", "PATCH /hidden"]

    /// The files that are not examples of the format.
    static let files = ["features", "proxies", "access"]

    static func document(_ name: String) throws -> ConfigDocument {
        guard files.contains(name) else { return try #require(Fixture.example(name).document) }
        let source = MemorySource(
            files: Fixture.namedFiles.merging(
                ["\(name).yaml": try Fixture.text("Printed/\(name).yaml")]
            ) { $1 },
            variables: [
                "HOST": "s3cr3t.internal", "PLACE": "s3cr3t", "SLOW": "733s", "SIZE": "737", "TRIES": "7",
                "METHOD": "PATCH",
            ])
        let reading = ConfigReading.read("\(name).yaml", from: source)
        #expect(reading.lines.filter { $0.contains("error") } == [])
        return try #require(reading.document)
    }
}

extension EndpointReport {
    /// As the file has it.
    var path: String {
        switch self {
        case .calls(let plan): plan.path
        case .proxy(let plan): plan.path
        }
    }
}
