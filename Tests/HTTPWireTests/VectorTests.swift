import ASCIIText
import HTTPModel
import Testing

@testable import HTTPWire

@Suite("Wire vectors")
struct VectorTests {
    @Test(
        "A request gets the same verdict whole, cut anywhere, and between other requests",
        arguments: Vector.requests)
    func request(_ vector: Vector) {
        let other: [UInt8] = Array("GET /other HTTP/1.1\r\nHost: other\r\n\r\n".utf8)
        let otherVerdict = ["GET /other HTTP/1.1 none keep-alive", "  Host: other", "end"]
        let complaints = complaints(
            about: vector, before: (other, otherVerdict), after: (other, otherVerdict)
        ) {
            requestTranscript($0)
        }
        #expect(complaints == [])
    }

    @Test(
        "A response gets the same verdict whole, cut anywhere, and before stray bytes",
        arguments: Vector.responses)
    func response(_ vector: Vector) {
        let stray: [UInt8] = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother".utf8)
        let strayVerdict = ["http_protocol_error: bytes arrived that no request asked for"]
        let after = vector.finishes ? nil : (stray, strayVerdict)
        let complaints = complaints(about: vector, before: nil, after: after) {
            responseTranscript($0, method: vector.method, finishes: vector.finishes)
        }
        #expect(complaints == [])
    }

    @Test(
        "The verifier finds wrong verdicts and verdicts that depend on cuts or on the next message"
    )
    func verifierFails() {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let verdict = ["GET / HTTP/1.1 none keep-alive", "end"]
        let right = Vector(file: "", name: "", bytes: bytes, verdict: verdict)
        let wrong = Vector(file: "", name: "", bytes: bytes, verdict: ["400 a rule"])
        #expect(complaints(about: right, before: nil, after: nil) { requestTranscript($0) } == [])
        #expect(complaints(about: wrong, before: nil, after: nil) { requestTranscript($0) }.count == 1)
        let forgetful = complaints(about: right, before: nil, after: nil) { pieces in
            requestTranscript(pieces.count == 2 && pieces[0].count == 9 ? [pieces[0]] : pieces)
        }
        #expect(forgetful.count == 1 && forgetful.allSatisfy { $0.hasPrefix("cut at 9") })
        let greedy = complaints(about: right, before: nil, after: (bytes, ["end"])) { requestTranscript($0) }
        #expect(greedy.count == 3 && greedy.allSatisfy { $0.hasPrefix("before another") })
    }

    @Test("Every rule has a vector that breaks it")
    func everyRule() {
        let verdicts = (Vector.requests + Vector.responses).flatMap(\.verdict)
        let unbroken = WireFault.allCases.filter { fault in
            !verdicts.contains { $0.hasSuffix(" " + fault.message.description) }
        }
        // The verifier appends stray bytes to every complete response.
        #expect(unbroken == [.unsolicitedBytes])
    }

    @Test("The token scanner accepts exactly the ASCII token bytes")
    func tokenBytes() {
        for byte in UInt8.min...UInt8.max {
            let isToken = [byte].withUnsafeBytes { ByteScan.isToken($0, 0..<1) }
            let isLongToken = [UInt8](repeating: byte, count: 20).withUnsafeBytes {
                ByteScan.isToken($0, 0..<20)
            }
            #expect(isToken == ASCII.isTokenByte(byte) && isLongToken == isToken, "\(byte)")
        }
    }
}

typealias Neighbour = (bytes: [UInt8], verdict: [String])

/// Feeds a vector whole, in pieces and next to other messages, and lists each unexpected verdict.
func complaints(
    about vector: Vector, before: Neighbour?, after: Neighbour?,
    _ transcript: ([ArraySlice<UInt8>]) -> Transcript
) -> [String] {
    var complaints: [String] = []
    func expect(_ pieces: [ArraySlice<UInt8>], _ verdict: [String], _ way: String) {
        let found = transcript(pieces).verdict
        if found != verdict { complaints.append("\(way): \(found) instead of \(verdict)") }
    }
    let bytes = vector.bytes[...]
    let whole = transcript([bytes])
    // Fields are compared only if the verdict lists them.
    let comparesFields = vector.verdict.contains { $0.hasPrefix("  ") }
    let shown = whole.verdict.filter { comparesFields || !$0.hasPrefix("  ") }
    if shown != vector.verdict { complaints.append("whole: \(shown) instead of \(vector.verdict)") }

    expect(bytewise(bytes), whole.verdict, "byte by byte")

    // Long messages, which test limits, are cut in only twenty places.
    let step = bytes.count < 600 ? 1 : bytes.count / 20
    for cut in stride(from: 1, to: bytes.count, by: step) {
        expect([bytes[..<cut], bytes[cut...]], whole.verdict, "cut at \(cut)")
        if bytes.count < 300, !vector.finishes {
            expect(bytewise(bytes[..<cut]), transcript([bytes[..<cut]]).verdict, "ended at \(cut)")
        }
    }

    if let before {
        let glued = (before.bytes + bytes)[...]
        expect([glued], before.verdict + whole.verdict, "after another")
        expect(bytewise(glued), before.verdict + whole.verdict, "after another, byte by byte")
    }
    // An incomplete message would consume the bytes of the next one.
    if let after, whole.hasFailed || whole.isBetweenMessages, !bytes.elementsEqual("\r\n".utf8) {
        let verdict = whole.verdict + (whole.hasFailed ? [] : after.verdict)
        let glued = (bytes + after.bytes)[...]
        expect([glued], verdict, "before another")
        expect(bytewise(glued), verdict, "before another, byte by byte")
        expect([bytes, after.bytes[...]], verdict, "before another that comes later")
    }
    return complaints
}

func bytewise(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    bytes.indices.map { bytes[$0...$0] }
}
