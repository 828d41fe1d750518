extension StoreConnection {
    /// See the picture at `StoreConnection`.
    enum State {
        case connecting
        case greeting
        case ready
        case resting(StoreFailure)
        case ended
    }

    /// What the next reply belongs to.
    enum Expected {
        case login
        case database
        case script
        case command(StoreCommand)
    }
}
