import ContentCoding
import Foundation
import TestTools

/// Content as servers encode it.
enum Encoded {
    static let lines = (0..<600).map { "line \($0) of the text\n" }.joined().utf8.map { $0 }

    static func gzip(_ bytes: [UInt8]) -> [UInt8] { Deflated.gzip(bytes) }
    static func deflate(_ bytes: [UInt8]) -> [UInt8] { Deflated.wrapped(bytes) }
    static func rawDeflate(_ bytes: [UInt8]) -> [UInt8] { Deflated.bare(bytes) }

    // Encoded by Google's encoder 1.0.9 at its highest quality; the decoding library has no encoder.
    static let brotliOfNothing = base64("Bg==")
    static let brotliOfHello = base64("iwmAaGVsbG8sIGhlbGxvLCBoZWxsbwoD")
    static let hello = Array("hello, hello, hello\n".utf8)
    /// 20 MiB of zeros.
    static let brotliOfZeros = base64("y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v1f/v//4J8AiMMCAN37Hw==")
    /// `lines`.
    static let brotliOfLines = base64(
        """
        G8kwIBSh0nVwSBpgex2K2jk3i4dvVsIhBVhZUr2ocEI23uo60x6CjwVACEYwWBz+iYIXECVZ0Wh1+GILoiQrGq0OX2pBlGRF
        o9Xhyy2IkqxotDp8pQVRkhWNVoevaUGUZEWj1eFrWxAlWdFodfi6FkRJVjRaHb6+BVGSFY1Wh/+i2xMkRTMcLk+faIKkaIbD
        5emTTZAUzXC4PH2qCZKiGQ6Xp083QVI0w+Hy9JkmSIpmOFyePqcJkqIZDpenz22CpGiGw+Xp85ogKZrhcHn6/CZIimY4XB5+
        ZDdBUjTD4fL0iSZIimY4XJ4+2QRJ0QyHy9OnmiApmuFwefp0EyRFMxwuT59pgqRohsPl6XOaICma4XB5+twmSIpmOFyePq8J
        kqIZDpenz2+CpGiGw+XhR3UTJEUzHC5Pn2iCpGiGw+Xpk02QFM1wuDx9qgmSohkOl6dPN0FSNMPh8vSZJkiKZjhcnj6nCZKi
        GQ6Xp89tgqRohsPl6fOaICma4XB5+vwmSIpmOFwefnQ3QVI0w+Hy9IkmSIpmOFyePtkESdEMh8vTp5ogKZrhcHn6dBMkRTMc
        Lk+faYKkaIbD5elzmiApmuFwefrcJkiKZjhcnj6vCZKiGQ6Xp89vgqRohsPl4cd0EyRFMxwuT59ogqRohsPl6ZNNkBTNcLg8
        faoJkqIZDpenTzdBUjTD4fL0mSZIimY4XJ4+pwmSohkOl6fPbYKkaIbD5enzmiApmuFwefr8JkiKZjhc3vo=
        """)

    private static func base64(_ text: String) -> [UInt8] {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else { return [] }
        return Array(data)
    }
}

/// Decodes `bytes`, fed in pieces of `step` bytes, into a buffer of `room` bytes.
func decode(
    _ bytes: [UInt8], _ codings: [ContentCoding], limits: DecodingLimits = DecodingLimits(),
    step: Int = .max, room: Int = 65_536
) -> Result<[UInt8], ContentCodingError> {
    Result { () throws(ContentCodingError) in
        let decoder = try ContentDecoder(codings, limits: limits)
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: room)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + min(step, bytes.count))
            let piece = Array(bytes[start..<end])
            start = end
            let fed = piece.withUnsafeBytes { input in
                Result { () throws(ContentCodingError) in try feed(decoder, input, &buffer, &output) }
            }
            try fed.get()
        }
        try decoder.finish()
        precondition(decoder.bytesIn == bytes.count)
        return output
    }
}

private func feed(
    _ decoder: ContentDecoder, _ input: UnsafeRawBufferPointer, _ buffer: inout [UInt8],
    _ output: inout [UInt8]
) throws(ContentCodingError) {
    var consumed = 0
    while true {
        let count = try buffer.withUnsafeMutableBytes { room in
            Result { () throws(ContentCodingError) in
                try decoder.decode(input, consumed: &consumed, into: room)
            }
        }.get()
        if count == 0 { break }
        output += buffer[..<count]
    }
    precondition(consumed == input.count, "the decoder stopped before it had taken all input")
}
