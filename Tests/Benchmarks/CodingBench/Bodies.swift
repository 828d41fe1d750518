import Foundation
import TestSupport

/// A response's body in one content coding.
struct CodedBody {
    let coding: String
    let bytes: [UInt8]

    /// The whole response, as it is on the wire.
    var response: [UInt8] {
        let field = coding == "identity" ? "" : "Content-Encoding: \(coding)\r\n"
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Fri, 20 Nov 2026 11:00:00 GMT\r\n"
            + "\(field)Content-Length: \(bytes.count)\r\n\r\n"
        return Array(head.utf8) + bytes
    }
}

enum Bodies {
    static let codings = ["identity", "gzip", "deflate", "br"]

    /// Weeks of a food diary in the envelope of its API, of about this size. Numbers and words vary, so that
    /// it compresses like real data.
    static func diary(_ size: Int) -> [UInt8] {
        var random = Random()
        var text = #"{"code":"OK","message":"success","status":200,"data":["#
        var day = 0
        while true {
            let foods = (0..<3).map { _ in random.pick(words) }.joined(separator: " ")
            let entry =
                #"{"id":\#(100_000 + day * 37),"date":"2026-\#(two(day / 28 % 12 + 1))-\#(two(day % 28 + 1))","#
                + #""meal":"\#(random.pick(["breakfast", "lunch", "dinner"]))","food":"\#(foods)","#
                + #""kcal":\#(random.number(900)),"carbs":\#(random.number(120)).\#(random.number(10)),"#
                + #""isShared":\#(random.number(2) == 0)}"#
            guard text.utf8.count + entry.utf8.count + 3 <= size || day == 0 else { break }
            if day > 0 { text += "," }
            text += entry
            day += 1
        }
        return Array((text + "]}").utf8)
    }

    /// Compresses the bodies at the usual levels: zlib 6, and nginx's default for br. Without nginx's module
    /// br is left out.
    static func coded(_ bodies: [[UInt8]]) throws -> [[CodedBody]] {
        let brotli = try brotli(bodies)
        return bodies.indices.map { index in
            let body = bodies[index]
            var all = [
                CodedBody(coding: "identity", bytes: body),
                CodedBody(coding: "gzip", bytes: Deflated.gzip(body, level: 6)),
                CodedBody(coding: "deflate", bytes: Deflated.wrapped(body, level: 6)),
            ]
            if let brotli { all.append(CodedBody(coding: "br", bytes: brotli[index])) }
            return all
        }
    }

    private static func brotli(_ bodies: [[UInt8]]) throws -> [[UInt8]]? {
        guard Nginx.isInstalled, let module = Nginx.brotliModule else { return nil }
        var files: [String: [UInt8]] = [:]
        for (index, body) in bodies.enumerated() { files["\(index)"] = body }
        let nginx = try Nginx(
            "brotli on; brotli_types *; brotli_min_length 1;", main: "load_module \(module);", files: files)
        defer { nginx.stop() }
        let client = try RawClient(port: Int(nginx.port))
        return try bodies.indices.map { index in
            client.send("GET /\(index) HTTP/1.1\r\nHost: test\r\nAccept-Encoding: br\r\n\r\n")
            return try client.reply().body
        }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let words = [
        "rice", "kimchi", "bread", "egg", "apple", "banana", "noodles", "tofu", "salad", "soup", "chicken",
        "beef", "salmon", "yogurt", "cheese", "tomato", "potato", "beans", "mushroom", "spinach", "carrot",
        "cereal", "milk", "coffee",
    ]
}

/// The same numbers in each run.
private struct Random {
    private var state: UInt64 = 1

    mutating func number(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func pick(_ words: [String]) -> String { words[number(words.count)] }
}
