internal import CreditSystem

extension StoreDirectory {
  /// Gives a file that was just made the folder's owner and group and the journal's mode, as far as
  /// this process may. So whoever could use the store before can use it after another user, root
  /// for one, has written to it.
  ///
  /// A file that can't be given to the folder's group is not opened to any other group.
  func share(_ file: borrowing FileDescriptor) {
    guard let folder = try? access(), let own = try? file.status().access else { return }
    let journal = (try? status(of: JournalFile.name))??.access
    var wanted = FileAccess(user: folder.user, group: folder.group, mode: journal?.mode ?? own.mode)
    if own.user != wanted.user || own.group != wanted.group {
      if !give(file, to: wanted.user, wanted.group) && own.group != wanted.group
        && !give(file, to: nil, wanted.group)
      {
        wanted.mode &= ~0o070
      }
    }
    if own.mode != wanted.mode { try? system.setMode(file.number, wanted.mode) }
  }

  private func give(_ file: borrowing FileDescriptor, to user: UInt32?, _ group: UInt32) -> Bool {
    (try? system.setOwner(file.number, user: user, group: group)) != nil
  }

  /// Whose the folder is, also where a symbolic link leads to it.
  private func access() throws(StoreFault) -> FileAccess {
    try openSelf().status().access
  }
}
