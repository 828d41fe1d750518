import TestSupport
import Testing

@testable import EventIO

@Suite("The size of a ClientHello", .timeLimit(.minutes(1)))
struct ClientHelloSizeTests {
    private static func size(_ records: [UInt8], pieces: Int = .max) -> ClientHelloSize {
        var size = ClientHelloSize()
        records.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                size.received(UnsafeRawBufferPointer(rebasing: rest.prefix(pieces)))
                rest = rest.dropFirst(pieces)
            }
        }
        return size
    }

    private static func record(_ bytes: [UInt8], type: UInt8 = 22) -> [UInt8] {
        [type, 3, 1, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }

    private static func header(_ length: Int, type: UInt8 = 1) -> [UInt8] {
        [type, UInt8(length >> 16), UInt8(length >> 8 & 0xff), UInt8(length & 0xff)]
    }

    @Test("A ClientHello of more than 32 KiB is known by its header, in records and pieces of any size")
    func tooLarge() {
        let header = Self.header((32 << 10) + 1)
        for pieces in [1, 2, 3, 7, .max] {
            #expect(Self.size(Self.record(header), pieces: pieces).isTooLarge)
            #expect(Self.size(header.flatMap { Self.record([$0]) }, pieces: pieces).isTooLarge)
            // Records without content, and of other types, come between.
            let mixed = Self.record(Array(header[..<2])) + Self.record([]) + Self.record([1], type: 20)
            #expect(!Self.size(mixed, pieces: pieces).isTooLarge)
            #expect(Self.size(mixed + Self.record(Array(header[2...])), pieces: pieces).isTooLarge)
        }
    }

    @Test("A second ClientHello, which follows a HelloRetryRequest, is judged as well")
    func second() {
        let first = Self.record(Self.header(3) + [1, 2, 3])
        #expect(Self.size(first).isComplete && !Self.size(first).isTooLarge)
        #expect(Self.size(first + Self.record([1], type: 20) + Self.record(Self.header(1 << 17))).isTooLarge)
    }

    @Test("A ClientHello of 32 KiB and other messages of any size are not too large")
    func fits() {
        for pieces in [1, 1000, .max] {
            let half = [UInt8](repeating: 7, count: 1 << 14)
            let parts = [Self.header(32 << 10), half, half].flatMap { Self.record($0) }
            let size = Self.size(parts, pieces: pieces)
            #expect(size.isComplete && !size.isTooLarge)
            let begun = Self.size(Array(parts.dropLast()), pieces: pieces)
            #expect(!begun.isComplete && !begun.isTooLarge)
        }
        #expect(!Self.size(Self.record(Self.header(1 << 20, type: 11))).isTooLarge)
        #expect(!Self.size(Self.record(Self.header(1 << 20), type: 23)).isTooLarge)
    }

    @Test("A server closes a connection whose ClientHello is too large, before the rest arrives")
    func refused() async throws {
        try await withLoop { loop in
            try await withSecured(.serving(TestAuthority.shared.issue()), loop: loop) { driven, client in
                client.send(Self.record(Self.header(1 << 16)))
                let error = try await driven.failure()
                #expect(error?.tls?.kind == .protocolError)
                #expect(error?.tls?.reason == "the ClientHello is larger than 32 KiB")
            }
        }
    }
}
