import Sluice

/// The calls of the library.
enum LibraryAPI: TargetType {
    case book(Int)
    case reviews(Int)

    var baseURL: String { "http://127.0.0.1:9000" }

    var path: RequestPath {
        switch self {
        case .book(let id): "/books/\(id)"
        case .reviews(let id): "/reviews/\(id)"
        }
    }
}
