import Sluice

/// Declares the screen of a book. The book is required, the reviews have a fallback.
func declareBook(on gateway: Gateway) {
    let library = gateway.provider(LibraryAPI.self, upstream: "library")

    gateway.get("/books/{id}", .deadline(.seconds(3))) { request in
        let id = try request.path("id", as: Int.self)
        return .parts(
            book: library.rx.request(.book(id)).fragment(),
            reviews: library.rx.request(.reviews(id)).fragment().fallback([]))
    }
}
