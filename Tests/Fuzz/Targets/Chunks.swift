import ASCIIText
import HTTPModel

@testable import HTTPWire

// The chunked decoder must not trap or read out of bounds. However the input is cut, its verdict, data and
// end are the same. A plain reader of sizes agrees with it, and encoded data decodes to itself. The first
// byte sets the length of the pieces.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChunks(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = all.first else { return 0 }
    let bytes = Array(all.dropFirst())
    let step = Int(first) + 1
    let whole = decode(bytes, step: max(bytes.count, 1))
    for step in [1, step] {
        let cut = decode(bytes, step: step)
        guard cut == whole else { fatalError("cut by \(step): \(cut) instead of \(whole)") }
    }
    if whole.verdict == .end {
        guard let plain = readPlainly(bytes), plain.data == whole.data, plain.end == whole.consumed else {
            fatalError("accepted, but a plain reader disagrees: \(whole)")
        }
    }

    var written: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: step) {
        let data = bytes[start..<min(start + step, bytes.count)]
        ChunkedEncoding.appendSize(data.count, to: &written)
        written += data
        written += Array("\r\n".utf8)
    }
    ChunkedEncoding.appendEnd(to: &written)
    let length = written.count
    written += [0x30]
    let read = decode(written, step: step)
    guard read.verdict == .end, read.data == bytes, read.consumed == length else {
        fatalError("encoded, but not decoded: \(read)")
    }
    return 0
}

private enum Verdict: Equatable {
    case more, end
    case failed(String)
}

private struct Decoded: Equatable {
    var verdict = Verdict.more
    var data: [UInt8] = []
    /// Bytes up to the end of the message; 0 after a failure, where the count is unspecified.
    var consumed = 0
}

private func decode(_ bytes: [UInt8], step: Int) -> Decoded {
    var decoder = ChunkedDecoder()
    // The limits are small, so that inputs reach them.
    var trailers = FieldSection(block: 400, line: 100, count: 5, side: .response)
    var decoded = Decoded()
    for start in stride(from: 0, to: bytes.count, by: step) {
        let piece = Array(bytes[start..<min(start + step, bytes.count)])
        piece.withUnsafeBytes { input in
            var consumed = 0
            do throws(WireFault) {
                while decoded.verdict == .more {
                    switch try decoder.next(input, &consumed, &trailers) {
                    case .needMore:
                        guard consumed == input.count else {
                            fatalError("needs more before consuming all input")
                        }
                        decoded.consumed = start + consumed
                        return
                    case .data(let range):
                        guard !range.isEmpty, range.upperBound == consumed, consumed <= input.count else {
                            fatalError("data outside the input")
                        }
                        decoded.data += input[range]
                    case .end:
                        decoded.verdict = .end
                        decoded.consumed = start + consumed
                    }
                }
            } catch {
                decoded.verdict = .failed("\(error)")
                decoded.consumed = 0
            }
        }
        if decoded.verdict != .more { break }
    }
    return decoded
}

/// Reads the data by chunk sizes alone, and finds the end of the message.
private func readPlainly(_ bytes: [UInt8]) -> (data: [UInt8], end: Int)? {
    var data: [UInt8] = []
    var rest = bytes[...]
    func line() -> ArraySlice<UInt8>? {
        guard let feed = rest.firstIndex(of: 0x0a), feed > rest.startIndex, rest[feed - 1] == 0x0d else {
            return nil
        }
        defer { rest = rest[(feed + 1)...] }
        return rest[..<(feed - 1)]
    }
    while let head = line() {
        let digits = head.prefix { ASCII.hexValue($0) != nil }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
        guard size > 0 else {
            while let trailer = line() {
                if trailer.isEmpty { return (data, rest.startIndex) }
            }
            return nil
        }
        guard rest.count >= size else { return nil }
        data += rest.prefix(size)
        rest = rest.dropFirst(size)
        guard line()?.isEmpty == true else { return nil }
    }
    return nil
}
