-- SPDX-License-Identifier: GPL-3.0-or-later
-- Form 2: form 1 and one column.
CREATE TABLE chats (  row INTEGER PRIMARY KEY,  id INTEGER NOT NULL UNIQUE,  title TEXT,  question TEXT,  pinned INTEGER NOT NULL DEFAULT 0,  created INTEGER NOT NULL,  updated INTEGER NOT NULL,  model_path TEXT,  model_title TEXT,  draft TEXT NOT NULL DEFAULT '',  settings TEXT NOT NULL DEFAULT '',  place_message INTEGER NOT NULL DEFAULT 0,  place_offset REAL NOT NULL DEFAULT 0);
CREATE TABLE messages (  row INTEGER PRIMARY KEY,  chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,  id INTEGER NOT NULL,  parent INTEGER NOT NULL,  role INTEGER NOT NULL,  state INTEGER NOT NULL,  chosen INTEGER NOT NULL,  created INTEGER NOT NULL,  text TEXT NOT NULL,  thinking TEXT NOT NULL DEFAULT '',  thinking_ms INTEGER NOT NULL DEFAULT 0,  model_title TEXT,  figures TEXT,  error_code INTEGER,  error TEXT,  UNIQUE (chat, id));
CREATE TABLE journal (  row INTEGER PRIMARY KEY,  message INTEGER NOT NULL REFERENCES messages (row) ON DELETE CASCADE,  thought INTEGER NOT NULL,  text TEXT NOT NULL);
CREATE INDEX journal_message ON journal (message);
CREATE TABLE notes (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
CREATE VIRTUAL TABLE search USING fts5 (  text, content='messages', content_rowid='row', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN  INSERT INTO search (rowid, text) VALUES (new.row, new.text);END;
CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN  INSERT INTO search (search, rowid, text) VALUES ('delete', old.row, old.text);END;
CREATE TRIGGER messages_changed AFTER UPDATE OF text ON messages BEGIN  INSERT INTO search (search, rowid, text) VALUES ('delete', old.row, old.text);  INSERT INTO search (rowid, text) VALUES (new.row, new.text);END;
ALTER TABLE messages ADD COLUMN edit TEXT;
INSERT INTO chats (row, id, title, question, pinned, created, updated, model_path, model_title, draft)
  VALUES (5, 4711, 'Old times', 'Who’s there?', 1, 1700000000000000, 1700000100000000, '/old/model.gguf', 'Old Model',
  'and then');
INSERT INTO messages (row, chat, id, parent, role, state, chosen, created, text)
  VALUES (8, 4711, 1, 0, 0, 3, 1, 1700000000000000, 'Who’s there?');
INSERT INTO messages (row, chat, id, parent, role, state, chosen, created, text, model_title)
  VALUES (9, 4711, 2, 1, 1, 2, 1, 1700000000000001, 'It was ', 'Old Model');
INSERT INTO journal (message, thought, text) VALUES (9, 0, 'a dark '), (9, 1, 'Hm.'), (9, 0, 'night.');
INSERT INTO notes VALUES ('open', '4711');
PRAGMA user_version = 2;
