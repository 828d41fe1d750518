/// Points of the curve of Ed25519.
enum Ed25519Point {
    /// Whether the point has order 1, 2, 4 or 8. OpenSSL accepts such a public key, and then anyone can sign
    /// for it: `R = B`, `S = 1` is right for each message if the point has order 1.
    static func hasSmallOrder(_ encoded: [UInt8]) -> Bool {
        guard encoded.count == 32 else { return false }
        var coordinate = encoded
        // The highest bit is the sign of x (RFC 8032 5.1.2), which does not change the order.
        coordinate[31] &= 0x7f
        return smallOrders.contains(coordinate)
    }

    /// The y coordinates of these points, in little-endian order. The last two are 0 and 1 again, with the
    /// field's prime added.
    private static let smallOrders: Set<[UInt8]> = {
        let zeros = [UInt8](repeating: 0, count: 31)
        let ones = [UInt8](repeating: 0xff, count: 30)
        let order8 = [
            "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU", "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
        ]
        return Set(
            [
                [0] + zeros, [1] + zeros, [0xec] + ones + [0x7f], [0xed] + ones + [0x7f],
                [0xee] + ones + [0x7f],
            ]
                + order8.compactMap { Base64URL.decode($0) })
    }()
}
