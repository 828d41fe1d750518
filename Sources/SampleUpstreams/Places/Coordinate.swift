private import Glibc

/// A point of the earth, in degrees.
struct Coordinate: Equatable, Sendable {
    let latitude: Double
    let longitude: Double

    /// Metres along the surface, by the haversine formula on a sphere of 6 371 008.8 m (IUGG's mean radius).
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
