private import Glibc

/// A point on the Earth, in degrees.
struct Coordinate: Equatable, Sendable {
    let latitude: Double
    let longitude: Double

    /// Returns the distance along the surface in metres, by the haversine formula with IUGG's mean radius of
    /// 6 371 008.8 m.
    func distance(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let halfNorth = (other.latitude - latitude) * radians / 2
        let halfEast = (other.longitude - longitude) * radians / 2
        let square =
            sin(halfNorth) * sin(halfNorth)
            + cos(latitude * radians) * cos(other.latitude * radians) * sin(halfEast) * sin(halfEast)
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}
