internal import EventIO

/// Connections that may give way, in lists by client. The longest-listed one of the client with the most
/// connections comes first.
///
/// Each event takes constant time, so that a flood of newcomers costs the same with many connections as with
/// few. Only `first` may walk down from the largest client to the next smaller one.
struct ClientOrder {
    private struct Client {
        let prefix: AddressPrefix
        /// All its connections, listed or not.
        var count = 0
        /// Longest listed first.
        var listed = IndexLists.List()
    }

    /// By slot.
    private var links = IndexLists()
    private var clients: [Client] = []
    private var freeClients: [Int] = []
    private var clientByPrefix: [AddressPrefix: Int] = [:]
    private var clientLinks = IndexLists()
    /// The clients with listed connections, by their number of connections.
    private var clientsByCount: [IndexLists.List] = []
    /// No client with listed connections has more connections than this.
    private var largestCount = 0

    /// Makes the next slot usable: 0, 1, 2 and so on.
    mutating func addSlot() { links.addIndex() }

    /// Counts a connection of a client. Returns the number of the client, which holds until `leave`.
    mutating func join(_ prefix: AddressPrefix) -> Int {
        let client = number(of: prefix)
        changeCount(of: client, by: 1)
        return client
    }

    /// Ends what `join` counted. The connection must not be listed.
    mutating func leave(_ client: Int) { changeCount(of: client, by: -1) }

    /// Lists a connection behind the others of its client.
    mutating func append(_ slot: Int, of client: Int) {
        let isFirst = clients[client].listed.isEmpty
        links.append(slot, to: &clients[client].listed)
        if isFirst { list(client) }
    }

    /// Removes a connection that is listed.
    mutating func remove(_ slot: Int, of client: Int) {
        links.remove(slot, from: &clients[client].listed)
        if clients[client].listed.isEmpty { unlist(client) }
    }

    /// The connection that comes first; nil if none is listed. It stays listed.
    mutating func first() -> Int? {
        while largestCount > 0, clientsByCount[largestCount].isEmpty { largestCount -= 1 }
        guard largestCount > 0, let client = clientsByCount[largestCount].first else { return nil }
        return clients[client].listed.first
    }

    // MARK: Clients

    private mutating func number(of prefix: AddressPrefix) -> Int {
        if let known = clientByPrefix[prefix] { return known }
        let client: Int
        if let free = freeClients.popLast() {
            client = free
            clients[client] = Client(prefix: prefix)
        } else {
            client = clients.count
            clients.append(Client(prefix: prefix))
            clientLinks.addIndex()
        }
        clientByPrefix[prefix] = client
        return client
    }

    private mutating func changeCount(of client: Int, by change: Int) {
        let isListed = !clients[client].listed.isEmpty
        if isListed { unlist(client) }
        clients[client].count += change
        if isListed { list(client) }
        guard clients[client].count == 0 else { return }
        clientByPrefix[clients[client].prefix] = nil
        freeClients.append(client)
    }

    /// Lists a client behind the others with as many connections. So of clients that always had one
    /// connection each, the longest-listed goes first.
    private mutating func list(_ client: Int) {
        let count = clients[client].count
        while clientsByCount.count <= count { clientsByCount.append(IndexLists.List()) }
        clientLinks.append(client, to: &clientsByCount[count])
        largestCount = max(largestCount, count)
    }

    private mutating func unlist(_ client: Int) {
        clientLinks.remove(client, from: &clientsByCount[clients[client].count])
    }
}
