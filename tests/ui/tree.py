# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree that voice output reads (AT-SPI), of one program, asked in bulk: a look at a window would be
some thousand questions, which is what a test would spend its time with. One question brings what the
program has told of all that it shows so far; what is not in the answer is asked for one by one, many
questions at a time.

A node may go at any moment. What is read of one that has gone is nothing: "", False, 0, no children.
What is done to one that has gone raises Gone, which driver.until() takes for "not yet"."""
import collections
import itertools

import dbus
import dbus.bus
import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
CACHE = "org.a11y.atspi.Cache"
COMPONENT = "org.a11y.atspi.Component"
EDITABLE = "org.a11y.atspi.EditableText"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
PROPERTIES = "org.freedesktop.DBus.Properties"
# More than any text has; GTK takes -1 for the end in some kinds of fields only.
WHOLE = 0x7FFFFFFF
# One that does not answer in this time is taken for gone; who waits asks again.
ANSWER_MS = 60_000
# Not said twice, so what is done waits longer.
DONE_MS = 600_000
# What a bus says of a node, or of a program, that is not there (any more).
GONE = ("UnknownMethod", "UnknownObject", "UnknownInterface", "ServiceUnknown", "NameHasNoOwner", "NoReply",
        "Disconnected")


class Gone(Exception):
    """Something was to be done with what is not there any more."""


# One of the nodes that a program says all of at once; references are pairs of bus name and path.
Item = collections.namedtuple("Item", "node program parent place n_children interfaces name role description "
                                      "states")


def state_bit(name):
    return int(getattr(Atspi.StateType, name.upper().replace(" ", "_")))


SHOWING, FOCUSED = state_bit("showing"), state_bit("focused")


class States(int):
    """The states of a node, as bits."""

    def contains(self, state):
        return bool(self >> int(state) & 1)


class Box:
    """Where something is in its window, in pixels."""

    def __init__(self, x, y, width, height):
        self.x, self.y, self.width, self.height = x, y, width, height


class Node:
    """One thing in the tree. All but its role is asked anew each time."""

    def __init__(self, tree, path, role=""):
        self.tree = tree
        self.path = path
        self._role = role

    def __eq__(self, other):
        return isinstance(other, Node) and self.path == other.path

    def __hash__(self):
        return hash(self.path)

    def __repr__(self):
        return f"[{self.get_role_name()}] {self.get_name()!r}"

    # ---- what it is ----

    def get_role_name(self):
        """Such as "button"; a node keeps its role."""
        if not self._role:
            self._role = role_name(self._read(ACCESSIBLE, "GetRole"))
            self.tree.roles[self.path] = self._role
        return self._role

    def get_name(self):
        return self._property(ACCESSIBLE, "Name") or ""

    def get_description(self):
        return self._property(ACCESSIBLE, "Description") or ""

    def get_state_set(self):
        return states_of(self._read(ACCESSIBLE, "GetState"))

    def has_state(self, name):
        """Whether it is "focused", "checked", "sensitive" …"""
        return self.get_state_set().contains(state_bit(name))

    def get_text(self):
        """What is written in it; "" where nothing is, or where it is no text."""
        return self._read(TEXT, "GetText", "(ii)", 0, WHOLE) or ""

    def get_caret(self):
        """Where the caret is in its text; -1 where there is none."""
        offset = self._property(TEXT, "CaretOffset")
        return -1 if offset is None else offset

    def get_n_selections(self):
        return self._read(TEXT, "GetNSelections") or 0

    def get_value(self):
        """Of a field with a number; None where there is none."""
        return self._property(VALUE, "CurrentValue")

    def get_box(self):
        return Box(*(self._read(COMPONENT, "GetExtents", "(u)", int(Atspi.CoordType.WINDOW)) or (0, 0, 0, 0)))

    def get_parent(self):
        parent = self._property(ACCESSIBLE, "Parent")
        return self.tree.node(parent)

    def get_children(self):
        return [node for node in map(self.tree.node, self._read(ACCESSIBLE, "GetChildren") or ()) if node]

    # ---- what can be done with it ----

    def click(self):
        """Does what a click does; False when it cannot be clicked now."""
        return self.tree.do(self.path, ACTION, "DoAction", GLib.Variant("(i)", (0,)))

    def set_text(self, text):
        return self.tree.do(self.path, EDITABLE, "SetTextContents", GLib.Variant("(s)", (text,)))

    def set_value(self, value):
        self.tree.do(self.path, PROPERTIES, "Set",
                     GLib.Variant("(ssv)", (VALUE, "CurrentValue", GLib.Variant("d", value))))

    def _read(self, interface, member, form=None, *arguments):
        return self.tree.read(self.path, interface, member,
                              GLib.Variant(form, arguments) if form else None)

    def _property(self, interface, name):
        return self.tree.read(self.path, PROPERTIES, "Get", GLib.Variant("(ss)", (interface, name)))


class Seen:
    """What a look found at one node. `name` and `text` are None where they were not asked."""

    __slots__ = ("node", "role", "states", "name", "text", "children")

    def __init__(self, node):
        self.node = node
        self.role = ""
        self.states = States(0)
        self.name = self.text = None
        self.children = []

    @property
    def showing(self):
        return self.states.contains(SHOWING)

    @property
    def focused(self):
        return self.states.contains(FOCUSED)

    def all(self):
        """This one and all below, in order."""
        stack = [self]
        while stack:
            seen = stack.pop()
            yield seen
            stack.extend(reversed(seen.children))


def states_of(words):
    return States(sum(word << 32 * i for i, word in enumerate(words))) if words else States(0)


def role_name(role):
    return Atspi.role_get_name(Atspi.Role(role)) if role is not None else ""


def never(_role):
    return False


class Tree:
    """All that one process shows, by a connection of ours."""

    connection = None
    # A second one, of a library that takes a large answer apart ten times as fast.
    large = None

    def __init__(self, process_id):
        """`process_id` shows nothing yet: root() is None until it does."""
        if not Tree.connection:
            session = Gio.bus_get_sync(Gio.BusType.SESSION)
            address = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None,
                                        None, Gio.DBusCallFlags.NONE, ANSWER_MS, None).unpack()[0]
            Tree.connection = Gio.DBusConnection.new_for_address_sync(
                address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
                | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
            Tree.connection.set_exit_on_close(False)
            Tree.large = dbus.bus.BusConnection(address)
            Tree.large.set_exit_on_disconnect(False)
        self.process_id = process_id
        self.bus_name = None
        self.roles = {}  # by path
        self.context = GLib.MainContext.new()

    def root(self):
        """The program itself, once it has a window."""
        programs = self._call("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", ACCESSIBLE,
                              "GetChildren")
        for name, path in programs or ():
            if self._call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                          "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,))) == self.process_id:
                self.bus_name = name
                root = Node(self, path)
                return root if root.get_children() else None
        return None

    def node(self, reference):
        """The node of a pair of bus name and path; None for nothing or another program's."""
        if not reference or reference[0] != self.bus_name or reference[1].endswith("/null"):
            return None
        path = str(reference[1])
        return Node(self, path, self.roles.get(path, ""))

    def look(self, first, hidden=False, names=never, texts=never):
        """What is at this node and below; None when it has gone. Without `hidden` nothing below what is
        not on the screen (but for `first` itself). `names` and `texts` say by the role of a node whether
        they are asked for, too."""
        waiting = [0]
        met = {first.path}  # each page of a stack has the one that is shown for a child
        items = self._told()

        def ask(seen, interface, member, arguments, then):
            waiting[0] += 1

            def answered(connection, result):
                waiting[0] -= 1
                try:
                    then(seen, connection.call_finish(result).unpack()[0])
                except GLib.Error:
                    pass  # it has gone
            self.connection.call(self.bus_name, seen.node.path, interface, member, arguments, None,
                                 Gio.DBusCallFlags.NONE, ANSWER_MS, None, answered)

        def visit(seen):
            item = items.get(seen.node.path)
            if not item:
                ask(seen, ACCESSIBLE, "GetState", None, with_states)
                return
            seen.states = states_of(item.states)
            if not hidden and not seen.showing and seen is not top:
                return
            if names(with_role(seen, role_name(item.role))):
                seen.name = str(item.name)
            if item.n_children or seen is top:  # of the program itself it tells of none
                # Where one is in the place of another, the program tells of that which is hidden now.
                ask(seen, ACCESSIBLE, "GetChildren", None, with_children)

        def with_states(seen, words):
            seen.states = states_of(words)
            if not hidden and not seen.showing and seen is not top:
                return
            seen.role = self.roles.get(seen.node.path)
            if seen.role:
                with_role(seen)
            else:
                ask(seen, ACCESSIBLE, "GetRole", None, lambda seen, role: with_role(seen, role_name(role)))
            ask(seen, ACCESSIBLE, "GetChildren", None, with_children)

        def with_role(seen, role=None):
            if role:
                seen.role = seen.node._role = self.roles[seen.node.path] = role
            if names(seen.role) and seen.node.path not in items:
                ask(seen, PROPERTIES, "Get", GLib.Variant("(ss)", (ACCESSIBLE, "Name")), with_name)
            if texts(seen.role):
                ask(seen, TEXT, "GetText", GLib.Variant("(ii)", (0, WHOLE)), with_text)
            return seen.role

        def with_name(seen, name):
            seen.name = name

        def with_text(seen, text):
            seen.text = text

        def with_children(seen, references):
            for node in map(self.node, references):
                if node and node.path not in met:
                    met.add(node.path)
                    seen.children.append(Seen(node))
                    visit(seen.children[-1])

        top = Seen(first)
        self.context.push_thread_default()
        try:
            visit(top)
            while waiting[0]:
                self.context.iteration(True)
        finally:
            self.context.pop_thread_default()
        # Those without a role have gone, or are hidden, which is as good.
        for seen in list(top.all()):
            seen.children = [child for child in seen.children if child.role]
        return top if top.role else None

    def _told(self):
        """What the program says, at one moment, of all nodes that somebody has met; by their paths."""
        try:
            items = self.large.call_blocking(self.bus_name, "/org/a11y/atspi/cache", CACHE, "GetItems", "", (),
                                             timeout=ANSWER_MS / 1000)
        except dbus.DBusException:  # it has gone, or is about to
            return {}
        return {item.node[1]: item for item in itertools.starmap(Item, items)}

    def read(self, path, interface, member, arguments=None):
        """The answer to one question; None from a node that has gone, or that has no such thing."""
        return self._call(self.bus_name, path, interface, member, arguments)

    def do(self, path, interface, member, arguments):
        try:
            return self._call_or_raise(self.bus_name, path, interface, member, arguments, DONE_MS)
        except GLib.Error as error:
            name = Gio.DBusError.get_remote_error(error) or ""
            if name.endswith(GONE) or not name:
                raise Gone(f"{path}: {error.message}") from error
            raise

    def _call(self, *question):
        try:
            return self._call_or_raise(*question)
        except GLib.Error:
            return None

    def _call_or_raise(self, bus_name, path, interface, member, arguments=None, most_ms=ANSWER_MS):
        answer = self.connection.call_sync(bus_name, path, interface, member, arguments, None,
                                           Gio.DBusCallFlags.NONE, most_ms, None).unpack()
        return answer[0] if answer else None
