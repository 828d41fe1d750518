public import FoundationEssentials

/// A decoder of values from data: `JSONDecoder`, `PropertyListDecoder` or your own.
public protocol DataDecoder: Sendable {
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
    /// Decodes each value with `decoder`. A decoding error ends the stream.
    @inlinable
    public consuming func decode<Item: Decodable & Sendable, Decoder: DataDecoder>(
        type: Item.Type, decoder: Decoder
    ) -> Observable<Item> {
        map { try decoder.decode(Item.self, from: $0) }
    }
}
