import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Tests types that violate the rules of `Encoder` or use an encoder or a container after its end.
@Suite("Misuse of encoders")
struct EncoderMisuseTests {
    /// Keeps encoders and containers beyond the call that created them.
    private final class Kept: @unchecked Sendable {
        var encoder: (any Encoder)?
        var list: (any UnkeyedEncodingContainer)?
        var object: KeyedEncodingContainer<AnyKey>?
    }

    private struct Case: Sendable {
        let message: String
        let value: EncodedBy

        init(_ message: String, _ body: @escaping @Sendable (any Encoder) throws -> Void) {
            self.message = message
            value = EncodedBy(body)
        }
    }

    private static let containerInUse = "A container was requested where another value is already encoded."
    private static let valueInUse = "A value was encoded where there already is one."
    private static let notInnermost =
        "A container was written to while a value inside it was being encoded."
    private static let keyInUse =
        "A nested container was requested for the key \"a\", which already has another value."

    private static let cases = [
        Case(containerInUse) { encoder in
            _ = encoder.container(keyedBy: AnyKey.self)
            var list = encoder.unkeyedContainer()
            try list.encode(1)
        },
        Case(valueInUse) { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode(2)
        },
        Case(containerInUse) { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(1)
            var object = encoder.container(keyedBy: AnyKey.self)
            try object.encode(1, forKey: AnyKey("a"))
            try object.encode([1], forKey: AnyKey("a"))
            try object.encodeNil(forKey: AnyKey("a"))
            var nested = object.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("b"))
            try nested.encode(1, forKey: AnyKey("c"))
            var list = object.nestedUnkeyedContainer(forKey: AnyKey("b"))
            try list.encode(1)
            try 1.encode(to: object.superEncoder())
        },
        Case(containerInUse) { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(1)
            var list = encoder.unkeyedContainer()
            try list.encode(1)
            try list.encode([1])
            try list.encodeNil()
            var nested = list.nestedContainer(keyedBy: AnyKey.self)
            try nested.encode(1, forKey: AnyKey("c"))
            var inner = list.nestedUnkeyedContainer()
            try inner.encode(1)
            var outer = list.superEncoder().unkeyedContainer()
            try outer.encode(1)
            #expect(list.count == 0)
        },
        Case(valueInUse) { encoder in
            _ = encoder.unkeyedContainer()
            var container = encoder.singleValueContainer()
            try container.encode("x")
        },
        Case(keyInUse) { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: AnyKey("a"))
            var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("a"))
            try nested.encode(1, forKey: AnyKey("b"))
        },
        Case(keyInUse) { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            _ = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("a"))
            var nested = container.nestedUnkeyedContainer(forKey: AnyKey("a"))
            try nested.encode(1)
        },
        Case(notInnermost) { encoder in
            let kept = Kept()
            var list = encoder.unkeyedContainer()
            kept.list = list
            try list.encode(
                EncodedBy { inner in
                    var own = inner.unkeyedContainer()
                    try own.encode(1)
                    var outer = kept.list
                    try outer?.encode(2)
                    try outer?.encode([2])
                })
        },
        Case(containerInUse) { encoder in
            let kept = Kept()
            var list = encoder.unkeyedContainer()
            try list.encode(EncodedBy { kept.encoder = $0 })
            try list.encode(
                EncodedBy { inner in
                    var own = inner.unkeyedContainer()
                    try own.encode(1)
                    var late = kept.encoder?.unkeyedContainer()
                    try late?.encode(2)
                })
        },
        Case(valueInUse) { encoder in
            let kept = Kept()
            var list = encoder.unkeyedContainer()
            try? list.encode(
                EncodedBy { inner in
                    kept.encoder = inner
                    throw Refused()
                })
            var late = kept.encoder?.singleValueContainer()
            try late?.encode(6)
            try list.encode(7)
        },
        Case(containerInUse) { encoder in
            let kept = Kept()
            var object = encoder.container(keyedBy: AnyKey.self)
            try? object.encode(
                EncodedBy { inner in
                    kept.encoder = inner
                    throw Refused()
                }, forKey: AnyKey("a"))
            try object.encode(
                EncodedBy { _ in
                    var late = kept.encoder?.unkeyedContainer()
                    try late?.encode(6)
                }, forKey: AnyKey("a"))
        },
    ]

    private struct Refused: Error {}

    /// Returns the coding path and the message of the error.
    private func misuse(_ value: some Encodable) -> String? {
        do {
            return "no error: \(try JSONBytesEncoder().encode(value))"
        } catch EncodingError.invalidValue(_, let context) {
            return
                "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
        } catch {
            return "\(error)"
        }
    }

    @Test("Misuse of an encoder fails with a message and a coding path")
    func misuse() {
        for (number, one) in Self.cases.enumerated() {
            let top = misuse(one.value)
            #expect(top?.hasSuffix(one.message) == true, "case \(number): \(top ?? "")")
            let inner = misuse(["x": one.value])
            #expect(inner?.hasSuffix(one.message) == true, "case \(number): \(inner ?? "")")
            #expect(inner?.hasPrefix("x") == true, "case \(number): \(inner ?? "")")
        }
    }

    @Test("The first of several misuses is reported, even from a nested container")
    func firstMisuse() {
        let value = EncodedBy { encoder in
            var list = encoder.unkeyedContainer()
            var single = list.superEncoder().singleValueContainer()
            try single.encode(1)
            try single.encode(2)
            _ = encoder.container(keyedBy: AnyKey.self)
        }
        #expect(misuse(value) == "Index 0: \(Self.valueInUse)")
        let other = EncodedBy { encoder in
            var list = encoder.unkeyedContainer()
            let late = list.superEncoder()
            _ = encoder.container(keyedBy: AnyKey.self)
            var single = late.singleValueContainer()
            try single.encode(1)
            try single.encode(2)
        }
        #expect(misuse(other) == ": \(Self.containerInUse)")
    }

    @Test("Values encoded to a container or an encoder after its end are dropped")
    func afterTheEnd() throws {
        let kept = Kept()
        let keeping = EncodedBy { encoder in
            var container = encoder.unkeyedContainer()
            kept.list = container.nestedUnkeyedContainer()
            kept.object = container.nestedContainer(keyedBy: AnyKey.self)
            kept.encoder = container.superEncoder()
        }
        let using = EncodedBy { encoder in
            try kept.list?.encode(1)
            try kept.list?.encode([1])
            try kept.list?.encodeNil()
            try kept.object?.encode(1, forKey: AnyKey("a"))
            try kept.object?.encode([1], forKey: AnyKey("a"))
            try kept.object?.encodeNil(forKey: AnyKey("a"))
            var nested = kept.list?.nestedUnkeyedContainer()
            try nested?.encode(1)
            var object = kept.object?.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("a"))
            try object?.encode(1, forKey: AnyKey("b"))
            var objectInList = kept.list?.nestedContainer(keyedBy: AnyKey.self)
            try objectInList?.encode(1, forKey: AnyKey("b"))
            var listInObject = kept.object?.nestedUnkeyedContainer(forKey: AnyKey("a"))
            try listInObject?.encode(1)
            for encoder in [kept.encoder, kept.list?.superEncoder(), kept.object?.superEncoder()] {
                guard let encoder else { continue }
                try 2.encode(to: encoder)
                var late = encoder.unkeyedContainer()
                try late.encode(2)
                _ = encoder.container(keyedBy: AnyKey.self)
            }
            var container = encoder.singleValueContainer()
            try container.encode(3)
        }
        #expect(try JSONBytesEncoder().encode([keeping, using]).description == "[[[],{},{}],3]")
    }

    @Test("A container of a value that an error removed drops what is encoded to it")
    func removedContainers() throws {
        let kept = Kept()
        let value = EncodedBy { encoder in
            var list = encoder.unkeyedContainer()
            try? list.encode(
                EncodedBy { inner in
                    kept.list = inner.unkeyedContainer()
                    throw Refused()
                })
            try? list.encode(
                EncodedBy { inner in
                    kept.object = inner.container(keyedBy: AnyKey.self)
                    throw Refused()
                })
            // This list opens where the removed list and the removed object were.
            try list.encode(
                EncodedBy { inner in
                    var own = inner.unkeyedContainer()
                    try own.encode(1)
                    try kept.list?.encode(2)
                    try kept.object?.encode(3, forKey: AnyKey("a"))
                    try own.encode(4)
                })
        }
        #expect(try JSONBytesEncoder().encode(value).description == "[[1,4]]")
    }
}
