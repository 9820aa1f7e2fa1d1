-- A journal of version 1: two sessions, one of them pruned, as the program of that
-- version wrote it.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  head INTEGER NOT NULL CHECK (head >= 0)
);
INSERT INTO runs VALUES(1,'sess_01a1e53e-6a43-74d8-95ac-346fd00a8708','thought','Keep the old journal readable','active',1794847435331120,1794847446027090,7);
INSERT INTO runs VALUES(2,'sess_01a1e53e-6a46-73a9-a9bd-9e62d8c83e79','thought','A second session 思','active',1794847435334867,1794847435341267,5);
CREATE TABLE answers (
  number INTEGER PRIMARY KEY,
  key_hash INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  digest NOT NULL,
  pattern INTEGER REFERENCES answers (number),
  answer NOT NULL
);
INSERT INTO answers VALUES(1,-1880695780,'start:start-a',X'6f26fc2b9987fd6bd8cfb087b922c90b74ee407dd86c4b8c766d2bf7b87794fd',NULL,'{"audit":"Token Budget: [░░░░░░░░░░] 0/20000","branch":"main","budgets":{"branches_left":5,"time_left_ms":600000,"tokens_left":20000,"tokens_used":0},"events":["evt_01a1e53e-6a43-74d8-95ac-6c2753252fa4"],"goal":"Keep the old journal readable","next_step":"Think on this branch with think_plan_step, or hand in its plan with think_validate_plan.","session":"sess_01a1e53e-6a43-74d8-95ac-346fd00a8708","session_state":"init","state":"init","vector_clock":{"client":1}}');
INSERT INTO answers VALUES(2,-2092917145,'start:start-b',X'b43138431a427755cd44133e915204328d9a24e914d63ad91e13b8a5ae5311a7',1,X'ff0000869700805b02b0910017362d373361392d613962642d66636336343437396562376687dd000841207365636f6e642083a5010320e6809dff05018aa9020b396536326438633833653739864903b6ac01');
INSERT INTO answers VALUES(3,1954974353,'sess_01a1e53e-6a43-74d8-95ac-346fd00a8708:8708-0',X'f4260c1fbe98b4088682852ab9b4d21141ed6d9675f3c4bebcb9ce4fd1204683',NULL,'{"audit":"Token Budget: [░░░░░░░░░░] 15/20000","branch":"main","budgets":{"branches_left":5,"time_left_ms":599995,"tokens_left":19985,"tokens_used":15},"event":"evt_01a1e53e-6a48-768d-a81c-cd84eab1cd65","events":["evt_01a1e53e-6a48-768d-a81c-cd84eab1cd65"],"next_step":"Go on with think_plan_step, score the branch with think_branch, or hand in its plan with think_validate_plan.","session":"sess_01a1e53e-6a43-74d8-95ac-346fd00a8708","session_state":"active","state":"planning","vector_clock":{"client":2}}');
INSERT INTO answers VALUES(4,-648578144,'sess_01a1e53e-6a46-73a9-a9bd-9e62d8c83e79:3e79-0',X'82c0e22c883cf3a023a4f51aeb63838467fadde7126a11f50a46f6119c56a248',3,X'b600000036c53b0002382c22839b00808502829200003485940283a200003697aa0017392d373738352d623863372d39623164323763393065306399dd0095d402ff130193960117362d373361392d613962642d396536326438633833653739869e03bccf01');
INSERT INTO answers VALUES(5,-450200481,'sess_01a1e53e-6a43-74d8-95ac-346fd00a8708:8708-1',X'1abff7adb6817f48f8795fe819a54c0151a5d1d90c48166197e1f5696800b7da',3,X'b50000013330c53b0002342c22839b0080850281920001373085940282a20001333097aa0017612d373531632d626239622d31306661343330363238636199dd0095d402ff1301f2960102337d7d');
INSERT INTO answers VALUES(6,-1515542992,'sess_01a1e53e-6a46-73a9-a9bd-9e62d8c83e79:3e79-1',X'135d109ebd7c0f120958e716d350471bf7cd8e708164ab3212cd4a8749492d54',3,X'b50000013332c53b0002372c22839b0080850281920001363885940282a20001333297aa0016612d373531632d626239622d313536383766353737623180c40181bc0291e50095d402ff130193960117362d373361392d613962642d396536326438633833653739869e03b9cf0102337d7d');
INSERT INTO answers VALUES(7,-1868365380,'sess_01a1e53e-6a43-74d8-95ac-346fd00a8708:8708-2',X'8583797f0af4fcd92de549750c4b743f6d3cd1be2b295fa386dd5d52dd27c878',3,X'b500000034c63a0002322c22839b008085028192000035807d0282970282a200003498a90017622d373361392d383534642d36313264626534623932366199dd0095d402ff1301f2960102347d7d');
INSERT INTO answers VALUES(8,38682758,'sess_01a1e53e-6a46-73a9-a9bd-9e62d8c83e79:3e79-2',X'b08f42b73cb1aca165a728b7495958c871a0617d84dd16cedc5ef6d851519524',3,X'b50000013438d83b0001353285940282a20001343897aa0016632d373631372d383438392d303964643635356466356480c40181bc0291e50095d402ff130193960117362d373361392d613962642d396536326438633833653739869e03b9cf0102347d7d');
INSERT INTO answers VALUES(9,-2067525795,'sess_01a1e53e-6a43-74d8-95ac-346fd00a8708:8708-3',X'a65f8a8571ee3024433e84dca7da706b2759714e5cd550042028eff12fc3e9cb',3,X'b50000013630c53b0002312c22839b0080850281920001343085940282a20001363097aa0017632d373631372d383438392d39303364303336306464643199dd0095d402ff1301f2960102357d7d');
INSERT INTO answers VALUES(10,666025793,'sess_01a1e53e-6a46-73a9-a9bd-9e62d8c83e79:3e79-3',X'017342d83aa118453892123b94d27de04cf6bb7446bcb3aa13638b094f3b0bef',3,X'b50000013634c53b0002342c22839b0080850281920001333685940282a20001363497aa0017642d373765622d393762382d37663833386433336462656699dd0095d402ff130193960117362d373361392d613962642d396536326438633833653739869e03b9cf0102357d7d');
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  id NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  seq INTEGER NOT NULL CHECK (seq > 0),
  idempotency_key INTEGER REFERENCES answers (number),
  type TEXT NOT NULL,
  vector_clock TEXT,
  role TEXT NOT NULL,
  content TEXT NOT NULL CHECK (length(content) <= 400),
  constraints TEXT,
  score TEXT,
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 3),
  early_stop_reason TEXT,
  failure_signature,
  retry_count INTEGER NOT NULL DEFAULT 0,
  token_cost INTEGER NOT NULL DEFAULT 0,
  walltime_ms INTEGER NOT NULL DEFAULT 0,
  ts INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
);
INSERT INTO events VALUES(2,X'01a1e53e6a4673a9a9bdfcc64479eb7f',2,1,2,'session','{"client":1}','decider','A second session 思','{"budgets":{"branches":5,"tokens":20000,"wall_time_ms":600000},"state":"init","success_criteria":[]}',NULL,1,NULL,NULL,0,0,0,1794847435334818,1);
INSERT INTO events VALUES(4,X'01a1e53e6a497785b8c79b1d27c90e0c',2,2,4,'plan_step','{"client":2}','planner','Step 0 of 3e79: look, then write.','{"branch":"main","moves":["user_input"]}',NULL,1,NULL,NULL,0,16,2,1794847435337332,1);
INSERT INTO events VALUES(6,X'01a1e53e6a4a751cbb9b15687f577b18',2,3,6,'plan_step','{"client":3}','planner','Step 1 of 3e79: look, then write.','{"branch":"main"}',NULL,1,NULL,NULL,0,16,1,1794847435338749,1);
INSERT INTO events VALUES(8,X'01a1e53e6a4c7617848909dd655df5d8',2,4,8,'plan_step','{"client":4}','planner','Step 2 of 3e79: look, then write.','{"branch":"main"}',NULL,1,NULL,NULL,0,16,2,1794847435340068,1);
INSERT INTO events VALUES(10,X'01a1e53e6a4d77eb97b87f838d33dbef',2,5,10,'plan_step','{"client":5}','planner','Step 3 of 3e79: look, then write.','{"branch":"main"}',NULL,1,NULL,NULL,0,16,1,1794847435341267,1);
INSERT INTO events VALUES(12,X'01a1e53e940b77df929eb7a1813b0a7e',1,7,NULL,'plan_step','{"client":7}','planner','After the events before were pruned.','{"branch":"main"}',NULL,1,NULL,NULL,0,8,195,1794847446027090,1);
CREATE TABLE pruned_events (
  number INTEGER PRIMARY KEY,
  id NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  seq INTEGER NOT NULL
);
INSERT INTO pruned_events VALUES(1,X'01a1e53e6a4374d895ac6c2753252fa4',1,1);
INSERT INTO pruned_events VALUES(3,X'01a1e53e6a48768da81ccd84eab1cd65',1,2);
INSERT INTO pruned_events VALUES(5,X'01a1e53e6a4a751cbb9b10fa430628ca',1,3);
INSERT INTO pruned_events VALUES(7,X'01a1e53e6a4b73a9854d612dbe4b926a',1,4);
INSERT INTO pruned_events VALUES(9,X'01a1e53e6a4c76178489903d0360ddd1',1,5);
INSERT INTO pruned_events VALUES(11,X'01a1e53e93477440b69260ccd2befe02',1,6);
CREATE TABLE edges (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  from_id INTEGER NOT NULL,
  to_id INTEGER AS (id >> 16) VIRTUAL,
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 3)
);
INSERT INTO edges VALUES(262144,2,2,0);
INSERT INTO edges VALUES(393216,2,4,0);
INSERT INTO edges VALUES(524288,2,6,0);
INSERT INTO edges VALUES(655360,2,8,0);
INSERT INTO edges VALUES(786432,1,9,0);
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  seq INTEGER NOT NULL,
  last_event_id INTEGER NOT NULL,
  state_snapshot TEXT NOT NULL,
  ts INTEGER NOT NULL
);
INSERT INTO checkpoints VALUES(1,1,6,11,'{"alerts":[],"before_pause":"active","branches":[{"created":1,"from":"","head":"evt_01a1e53e-6a4c-7617-8489-903d0360ddd1","id":"main","is_scored":false,"last_critique":"","last_evidence":"","last_failure":"","last_thought":"Step 3 of 8708: look, then write.","name":"main","outcome":"","plan":"","plan_type":"","rejections":0,"score":{"completeness":0.0,"cost":1000.0,"history_prior":0.5,"risk":0.5},"state":"planning","steps":4,"thinking_time_ms":0,"thoughts":0,"tokens":60,"validated":0}],"budgets":{"branches":5,"tokens":20000,"wall_time_ms":600000},"event_counts":{"checkpoint":1,"plan_step":4,"session":1},"evidence_chain":[],"first_evidence":"","goal":"Keep the old journal readable","head":6,"id":"sess_01a1e53e-6a43-74d8-95ac-346fd00a8708","last_event":"evt_01a1e53e-9347-7440-b692-60ccd2befe02","last_time_us":1794847445831974,"parallel_runs":{},"plan_schemas":{},"state":"active","success_criteria":[],"time_used_ms":10500,"tokens_reserved":0,"tokens_used":60,"vector_clock":{"client":6},"winner":""}',1794847445834134);
CREATE INDEX answers_by_key_hash ON answers (key_hash);
CREATE UNIQUE INDEX events_by_run ON events (session_id, seq);
CREATE INDEX events_by_failure ON events (failure_signature)
  WHERE failure_signature IS NOT NULL;
CREATE UNIQUE INDEX pruned_events_by_run ON pruned_events (session_id, seq);
CREATE UNIQUE INDEX checkpoints_by_run ON checkpoints (session_id, seq);
CREATE VIEW event_names AS
SELECT number, session_id, seq, CASE typeof(id) WHEN 'blob' THEN
    'evt_' || lower(hex(substr(id, 1, 4)) || '-' || hex(substr(id, 5, 2)) ||
    '-' || hex(substr(id, 7, 2)) || '-' || hex(substr(id, 9, 2)) || '-' ||
    hex(substr(id, 11))) ELSE id END AS id
FROM (SELECT number, id, session_id, seq FROM events
      UNION ALL SELECT number, id, session_id, seq FROM pruned_events);
CREATE VIEW readable_runs AS
SELECT id, kind, title, state, head,
  strftime('%Y-%m-%dT%H:%M:%fZ', created / 1e6, 'unixepoch') AS created,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated / 1e6, 'unixepoch') AS updated
FROM runs;
CREATE VIEW readable_edges AS
SELECT e.id, r.id AS session_id, p.id AS from_id, c.id AS to_id,
  CASE e.type WHEN 0 THEN 'causes' WHEN 1 THEN 'refines'
    WHEN 2 THEN 'contradicts' ELSE 'supports' END AS type
FROM edges e JOIN runs r ON r.number = e.session_id
  LEFT JOIN event_names p ON p.number = e.from_id
  LEFT JOIN event_names c ON c.number = e.to_id;
CREATE VIEW readable_events AS
SELECT n.id, r.id AS session_id, e.seq, a.idempotency_key, e.type,
  (SELECT json_group_array(p.id) FROM edges d
    JOIN event_names p ON p.number = d.from_id
    WHERE d.id BETWEEN e.number << 16 AND (e.number << 16) + 65535)
    AS parent_ids,
  e.vector_clock, e.role, e.content, e.constraints, e.score,
  CASE e.status WHEN 0 THEN 'open' WHEN 1 THEN 'done'
    WHEN 2 THEN 'rejected' ELSE 'early_stopped' END AS status,
  e.early_stop_reason,
  CASE typeof(e.failure_signature) WHEN 'blob'
    THEN lower(hex(e.failure_signature)) ELSE e.failure_signature END
    AS failure_signature,
  e.retry_count, e.token_cost, e.walltime_ms,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.ts / 1e6, 'unixepoch') AS ts, e.version
FROM events e JOIN event_names n ON n.number = e.number
  JOIN runs r ON r.number = e.session_id
  LEFT JOIN answers a ON a.number = e.idempotency_key;
CREATE VIEW readable_checkpoints AS
SELECT c.id, r.id AS session_id, c.seq, n.id AS last_event_id,
  c.state_snapshot, strftime('%Y-%m-%dT%H:%M:%fZ', c.ts / 1e6, 'unixepoch')
  AS ts
FROM checkpoints c JOIN runs r ON r.number = c.session_id
  LEFT JOIN event_names n ON n.number = c.last_event_id;
COMMIT;
PRAGMA application_id = 1280133962;
PRAGMA user_version = 1;
