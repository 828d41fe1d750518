/// Which answers are compressed.
enum CompressionShape {
    static let minimum = Member(
        "minimum", .size("0B", "1GiB"), default: "1KiB", "The shortest whole answer that is compressed.")
    static let streams = Member(
        "streams", .integer(0...65_536), default: "64",
        "The most large and streamed answers that an event loop compresses at once.")
    static let shape: Shape = Shape("compression", definition: "compression", minimum, streams)
}

extension ValueType where Value == ConfigSwitch<ConfigCompression> {
    static let compression = ValueType.either(
        ValueType<Bool>.flag.map { $0 ? .on(ConfigCompression()) : .off },
        orMapping: .object(CompressionShape.shape, prefixes: true) { values in
            .on(
                ConfigCompression(
                    minimum: values.located(CompressionShape.minimum),
                    streams: values.located(CompressionShape.streams)))
        })
}
