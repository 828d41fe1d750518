public import FoundationEssentials

/// What makes values of data: `JSONDecoder`, `PropertyListDecoder`, or one of your own.
public protocol DataDecoder: Sendable {
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
    /// The values that `decoder` makes of the data. What it throws ends the stream.
    @inlinable
    public consuming func decode<Item: Decodable & Sendable, Decoder: DataDecoder>(
        type: Item.Type, decoder: Decoder
    ) -> Observable<Item> {
        map { try decoder.decode(Item.self, from: $0) }
    }
}
