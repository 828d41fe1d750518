import HTTPModel
import HTTPWire

// Measures parsing and serialization on the gateway's hot path, in nanoseconds per message, as the best of
// five rounds. swift run -c release WireBench [messages per round]

@main
struct WireBench {
    static let request = Array(
        "GET /api/weights/charts?fddDate=2026-11-20 HTTP/1.1\r\nHost: 127.0.0.1:19000\r\n\r\n".utf8)

    static let browserRequest = Array(
        """
        GET /api/weights/charts?fddDate=2026-11-20 HTTP/1.1\r
        Host: diary.example.com\r
        User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148\r
        Accept: application/json, application/problem+json\r
        Accept-Language: en-GB,en;q=0.9\r
        Accept-Encoding: gzip, deflate, br\r
        Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN\r
        X-Request-Id: 3f0c2f44-5b6e-4c0e-9c3e-0a6f7c1d2e3f\r
        Connection: keep-alive\r
        \r

        """.utf8)

    static let response = Array(
        """
        HTTP/1.1 200 OK\r
        Server: nginx/1.22.1\r
        Date: Fri, 20 Nov 2026 11:33:50 GMT\r
        Content-Type: application/json\r
        Content-Length: 24\r
        Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT\r
        Connection: keep-alive\r
        ETag: "673dbd20-18"\r
        Accept-Ranges: bytes\r
        \r
        {"status":200,"data":{}}
        """.utf8)

    static func main() {
        measure("parse a wrk request") { requests(request, count: $0) }
        measure("parse a browser's request, 8 fields") { requests(browserRequest, count: $0) }
        measure("parse an nginx response, 8 fields, 24 bytes") { responses(response, count: $0) }
        measure("write a request to an upstream, 2 fields") { written(count: $0) }
        measure("write an answer, 4 fields") { answered(count: $0) }
        measure("remove hop-by-hop fields of 8") { forwarded(count: $0) }
    }

    static func requests(_ bytes: [UInt8], count: Int) -> Int {
        var parser = RequestParser()
        var sum = 0
        bytes.withUnsafeBytes { input in
            for _ in 0..<count {
                var consumed = 0
                var isDone = false
                while !isDone {
                    switch parser.parse(input, consumed: &consumed) {
                    case .head(let head, let framing):
                        sum &+=
                            head.fields.count &+ head.target.pathBytes.count &+ (framing.keepAlive ? 1 : 0)
                    case .end: isDone = true
                    case .body(let range): sum &+= range.count
                    case .needMore: fatalError("the request is incomplete")
                    case .failed(let error): fatalError("\(error)")
                    }
                }
            }
        }
        return sum
    }

    static func responses(_ bytes: [UInt8], count: Int) -> Int {
        var parser = ResponseParser()
        var sum = 0
        bytes.withUnsafeBytes { input in
            for _ in 0..<count {
                var consumed = 0
                var isDone = false
                parser.expectResponse(to: .get)
                while !isDone {
                    switch parser.parse(input, consumed: &consumed) {
                    case .head(let head, let framing):
                        sum &+= head.fields.count &+ head.status.code &+ (framing.keepAlive ? 1 : 0)
                    case .end: isDone = true
                    case .body(let range): sum &+= range.count
                    case .needMore, .informational: fatalError("the response is incomplete")
                    case .failed(let error): fatalError("\(error)")
                    }
                }
            }
        }
        return sum
    }

    static func written(count: Int) -> Int {
        let fields: HTTPFields = ["Accept": "application/json", "Via": "1.1 sluice"]
        let target = Array("/food-diary/weights?fddDate=2026-11-20&keyword=recent".utf8)[...]
        let host = Array("127.0.0.1:19001".utf8)[...]
        var output: [UInt8] = []
        output.reserveCapacity(1024)
        var sum = 0
        for _ in 0..<count {
            output.removeAll(keepingCapacity: true)
            do {
                try RequestSerializer.appendHead(
                    .get, target: target, host: host, fields: fields, body: .none, to: &output)
            } catch {
                fatalError("\(error)")
            }
            sum &+= output.count
        }
        return sum
    }

    static func answered(count: Int) -> Int {
        let fields: HTTPFields = [
            "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
            "X-Request-Id": "3f0c2f44-5b6e-4c0e", "Server": "sluice",
        ]
        let date = Array("Fri, 20 Nov 2026 11:33:50 GMT".utf8)[...]
        let context = ResponseSerializer.Context(version: .http11, isHead: false, keepAlive: true)
        var output: [UInt8] = []
        output.reserveCapacity(1024)
        var sum = 0
        for _ in 0..<count {
            output.removeAll(keepingCapacity: true)
            do {
                let outcome = try ResponseSerializer.appendHead(
                    .ok, fields, body: .length(1234), context: context, date: date, to: &output)
                sum &+= outcome.keepAlive ? 1 : 0
            } catch {
                fatalError("\(error)")
            }
            sum &+= output.count
        }
        return sum
    }

    static func forwarded(count: Int) -> Int {
        var parser = ResponseParser()
        parser.expectResponse(to: .get)
        var consumed = 0
        let event = response.withUnsafeBytes { parser.parse($0, consumed: &consumed) }
        guard case .head(let head, _) = event else { fatalError("no head") }
        var sum = 0
        for _ in 0..<count {
            var fields = head.fields
            fields.removeHopByHop()
            sum &+= fields.count
        }
        return sum
    }

    static func measure(_ name: String, _ run: (Int) -> Int) {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 400_000
        var best = Duration.seconds(1000)
        var sum = 0
        for _ in 0..<5 {
            let start = ContinuousClock.now
            sum &+= run(count)
            best = min(best, ContinuousClock.now - start)
        }
        let perMessage = (best / count).components.attoseconds / 1_000_000_000
        print("\(name): \(perMessage) ns (check \(sum))")
    }
}
