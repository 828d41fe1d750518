import Foundation
import JSONBytes
import JSONCoding

/// Compares our coders with Foundation's: unvalidated bytes into the types that a client would use, and back.
enum Typed {
    static func run(_ seconds: Double) throws {
        print("body", "bytes", "JSONBytesDecoder MB/s", "JSONDecoder MB/s", "times", separator: "\t")
        print("", "", "JSONBytesEncoder MB/s", "JSONEncoder MB/s", "times", separator: "\t")
        for (name, body) in Bodies.all {
            if name == "large" {
                try row(name, body, Envelope<Items>.self, seconds)
            } else {
                try row(name, body, Envelope<Points>.self, seconds)
            }
        }
    }

    static func `repeat`(_ decodes: Bool, _ count: Int) throws {
        let bytes = Array(Bodies.all[0].body.utf8)
        let decoder = JSONBytesDecoder()
        let model = try decoder.decode(Envelope<Points>.self, from: bytes)
        let encoder = JSONBytesEncoder()
        for _ in 0..<count {
            if decodes {
                _ = try decoder.decode(Envelope<Points>.self, from: bytes)
            } else {
                _ = try encoder.encode(model)
            }
        }
    }

    private static func row<Model: Codable>(
        _ name: String, _ body: String, _ type: Model.Type, _ seconds: Double
    ) throws {
        let bytes = Array(body.utf8)
        let data = Data(bytes)
        let decoder = JSONBytesDecoder()
        let theirDecoder = JSONDecoder()
        line(
            name, bytes.count,
            try JSONBench.rate(of: bytes.count, seconds) { _ = try decoder.decode(type, from: bytes) },
            try JSONBench.rate(of: bytes.count, seconds) { _ = try theirDecoder.decode(type, from: data) })
        let model = try decoder.decode(type, from: bytes)
        var encoder = JSONBytesEncoder()
        let theirEncoder = JSONEncoder()
        for format in [[.withoutEscapingSlashes], [.withoutEscapingSlashes, .sortedKeys]]
            as [JSONEncoder.OutputFormatting]
        {
            encoder.outputFormatting = format
            theirEncoder.outputFormatting = format
            let length = try encoder.encode(model).bytes.count
            line(
                format.contains(.sortedKeys) ? "  sorted" : "  encoded", length,
                try JSONBench.rate(of: length, seconds) { _ = try encoder.encode(model) },
                try JSONBench.rate(of: length, seconds) { _ = try theirEncoder.encode(model) })
        }
    }

    private static func line(_ name: String, _ bytes: Int, _ ours: Double, _ theirs: Double) {
        print(String(format: "%@\t%d\t%.0f\t%.0f\t%.1f", name, bytes, ours, theirs, ours / theirs))
    }
}

struct Envelope<Payload: Codable>: Codable {
    let code: String
    let message: String
    let status: Int
    let data: Payload
}

struct Points: Codable {
    struct Point: Codable {
        let date: String
        let am: Double
        let pm: Double
    }
    let unit: String
    let points: [Point]
}

struct Items: Codable {
    struct Item: Codable {
        let id: Int
        let name: String
        let note: String
        let value: Double
        let ok: Bool
    }
    let items: [Item]
}
