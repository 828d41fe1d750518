import Foundation
import JSONBytes
import JSONCoding
import Testing

/// A model that both decoders decode from the same documents.
struct DecodingComparison: Sendable {
    let model: String
    /// Returns how the results differ, or nil if they agree.
    let difference: @Sendable ([UInt8]) -> String?

    /// - Parameter isUnordered: Whether the model is a dictionary. Foundation decodes its members in random
    ///   order and may report any of several errors.
    init<Model: Decodable & Equatable & SendableMetatype>(
        _: Model.Type, _ settings: Settings = .plain, isUnordered: Bool = false
    ) {
        model = "\(Model.self)" + (settings.description == Settings.plain.description ? "" : ", \(settings)")
        difference = { bytes in
            let theirDecoder = JSONDecoder()
            var ourDecoder = JSONBytesDecoder()
            settings.change(theirDecoder, &ourDecoder)
            let ours = Result { try ourDecoder.decode(Model.self, from: bytes) }
            let theirs = Result { try theirDecoder.decode(Model.self, from: Data(bytes)) }
            switch (ours, theirs) {
            case (.success(let our), .success(let their)):
                return our == their || our != our && their != their ? nil : "another value"
            case (.success, .failure): return "accepted"
            case (.failure, .success): return "rejected"
            case (.failure(let our), .failure(let their)):
                if Self.isMalformed(our) { return Outcome(our) == Outcome(their) ? nil : "malformed" }
                if isUnordered { return nil }
                guard Outcome(our) == Outcome(their) else { return "another error" }
                return Self.place(our) == Self.place(their) ? nil : "another place"
            }
        }
    }

    /// The path of corrupted data. The paths of other errors are in their `Outcome`.
    private static func place(_ error: any Error) -> [String] {
        guard case DecodingError.dataCorrupted(let context) = error else { return [] }
        return context.codingPath.map(\.stringValue)
    }

    private static func isMalformed(_ error: any Error) -> Bool {
        guard case DecodingError.dataCorrupted(let context) = error else { return false }
        return context.underlyingError is JSONError
    }

    static let all = [
        DecodingComparison(String.self), DecodingComparison(Int.self), DecodingComparison(Int8.self),
        DecodingComparison(UInt64.self), DecodingComparison(Int128.self), DecodingComparison(Double.self),
        DecodingComparison(Float.self), DecodingComparison(Bool.self), DecodingComparison(Decimal.self),
        DecodingComparison(Date.self), DecodingComparison(Date.self, .internetDates),
        DecodingComparison(Date.self, .seconds), DecodingComparison(Double.self, .seconds),
        DecodingComparison(Data.self), DecodingComparison(Data.self, .internetDates),
        DecodingComparison(URL.self), DecodingComparison(UUID.self), DecodingComparison(String?.self),
        DecodingComparison([Int].self), DecodingComparison([Int?].self), DecodingComparison([Double].self),
        DecodingComparison([String].self), DecodingComparison([[Int]].self),
        DecodingComparison([String: Int].self, isUnordered: true),
        DecodingComparison([String: Int].self, .snakeCase, isUnordered: true),
        DecodingComparison([String: [Int]].self, isUnordered: true),
        DecodingComparison([String: String].self, isUnordered: true),
        DecodingComparison(Models.Pair.self), DecodingComparison(Models.Pair.self, .snakeCase),
        DecodingComparison(Models.Either.self), DecodingComparison(Models.Nested.self),
    ]
}
