internal import ASCIIText

/// What people do at a place, or on the way between two.
enum PlaceCategory: String, CaseIterable, Sendable {
    case home, work, cafe, food, exercise, transit, other

    var names: (korean: String, english: String) {
        switch self {
        case .home: ("집", "Home")
        case .work: ("회사", "Work")
        case .cafe: ("카페", "Café")
        case .food: ("식사", "Food")
        case .exercise: ("운동", "Exercise")
        case .transit: ("이동", "On the way")
        case .other: ("기타", "Other")
        }
    }
}

struct Place: Equatable, Sendable {
    let name: String
    let englishName: String
    let category: PlaceCategory
    let coordinate: Coordinate

    static func unknown(at coordinate: Coordinate) -> Place {
        Place(
            name: "이름 없는 곳", englishName: "Unnamed place", category: .other, coordinate: coordinate)
    }
}

/// A period spent close to one point.
struct Stay: Equatable, Sendable {
    let place: Place
    let arrivedAt: InternetTime
    let leftAt: InternetTime

    var milliseconds: Int { leftAt.millisecondsSince1970 - arrivedAt.millisecondsSince1970 }
}
