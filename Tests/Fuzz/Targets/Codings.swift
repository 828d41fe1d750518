import ContentCoding

// The content decoder must not trap, read out of bounds or exceed its limits. Verdict and content do not
// depend on how the input is cut or on the size of the output buffer. The first byte picks the codings, the
// second the length of the pieces.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCodings(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard all.count >= 2 else { return 0 }
    let known: [ContentCoding] = [.gzip, .deflate, .brotli]
    var codings = [known[Int(all[0]) % 3]]
    if all[0] >= 128 { codings.append(known[Int(all[0] >> 2) % 3]) }
    let bytes = Array(all.dropFirst(2))
    let step = Int(all[1]) + 1
    let whole = decode(bytes, codings, step: .max, room: 8192)
    for (step, room) in [(1, 8192), (step, 1 + step % 7)] {
        let cut = decode(bytes, codings, step: step, room: room)
        guard cut.isLike(whole) else {
            fatalError("cut by \(step), into \(room): \(cut) instead of \(whole)")
        }
    }
    return 0
}

// The limits are small, so that inputs reach them.
private let limits = DecodingLimits(size: 20_000, ratio: 50, freeSize: 4096)

private struct Decoded {
    var content: [UInt8] = []
    var failure: ContentCodingError?

    /// The content before a failure may differ in length. If two limits are exceeded, either may be reported.
    func isLike(_ other: Decoded) -> Bool {
        switch (failure, other.failure) {
        case (nil, nil): content == other.content
        case (nil, _), (_, nil): false
        case (_?, _?): content.starts(with: other.content) || other.content.starts(with: content)
        }
    }
}

private func decode(_ bytes: [UInt8], _ codings: [ContentCoding], step: Int, room: Int) -> Decoded {
    var decoded = Decoded()
    do throws(ContentCodingError) {
        let decoder = try ContentDecoder(codings, limits: limits)
        var buffer = [UInt8](repeating: 0, count: room)
        var start = 0
        while start < bytes.count {
            let end = bytes.count - start > step ? start + step : bytes.count
            // A copy lets the sanitizer see reads beyond it.
            let piece = Array(bytes[start..<end])
            start = end
            var consumed = 0
            while true {
                let count = try piece.withUnsafeBytes { input in
                    buffer.withUnsafeMutableBytes { output in
                        Result { () throws(ContentCodingError) in
                            try decoder.decode(input, consumed: &consumed, into: output)
                        }
                    }
                }.get()
                if count == 0 { break }
                guard count <= room else { fatalError("\(count) bytes into a buffer of \(room)") }
                decoded.content += buffer[..<count]
            }
            guard consumed == piece.count else { fatalError("stopped before consuming all input") }
        }
        try decoder.finish()
        guard decoder.bytesIn == bytes.count else {
            fatalError("counted \(decoder.bytesIn) of \(bytes.count) bytes")
        }
    } catch {
        decoded.failure = error
    }
    guard decoded.content.count <= 20_000 else { fatalError("content exceeds the limit") }
    return decoded
}
