// Runs a realistic session with the official TypeScript client: start, fork three
// plans, score, validate, revise a rejected plan, race, export, report a failure,
// heal, report success, complete, digest. Then lets the client's own model think
// for two branches.
//
//   node sdk_flow.mjs LAMARCK FOLDER
import assert from 'node:assert/strict';
import path from 'node:path';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {CreateMessageRequestSchema} from '@modelcontextprotocol/sdk/types.js';

const [lamarck, folder] = process.argv.slice(2);
const plan = {
  dry_run: true,
  rollback: {strategy: 'git_revert'},
  limits: {max_changes: 40, max_files: 2},
  capabilities_required: ['edit', 'test'],
  success_criteria: ['test_login is green'],
  risk_estimate: {test_coverage: 0.9},
};

async function connect(capabilities) {
  const client = new Client({name: 'flow', version: '1'}, {capabilities});
  await client.connect(new StdioClientTransport({
    command: lamarck,
    args: ['mcp', '--db', path.join(folder, 'journal.db')],
  }));
  return client;
}

// The client itself validates structuredContent against the output schema.
async function call(client, name, args) {
  const result = await client.callTool({name, arguments: args});
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  return result.structuredContent;
}

async function refusal(client, name, args) {
  const result = await client.callTool({name, arguments: args});
  assert.ok(result.isError, `${name}: expected an error, got a result`);
  return result.content[0].text;
}

async function reachGoal(client) {
  const {session} = await call(client, 'think_session_start', {
    goal: 'Make test_login pass again',
    success_criteria: ['test_login is green'],
    token_budget: '8000',  // Models often send numbers as strings.
  });
  await call(client, 'think_plan_step',
             {session, content: 'The token lives for 5 minutes only.'});
  await call(client, 'think_branch', {
    session,
    action: 'fork',
    children: [
      {name: 'retry', content: 'Retry once on 401.'},
      {name: 'refresh', content: 'Refresh the token after 4 minutes.'},
      {name: 'longer', content: 'Let tokens live for a day.'},
    ],
  });
  for (const [branch, completeness, risk] of
       [['retry', 0.6, 0.3], ['refresh', 0.9, 0.2], ['longer', 0.9, 0.8]]) {
    await call(client, 'think_branch',
               {session, action: 'score', branch, completeness, risk});
  }
  const rejected = await call(client, 'think_validate_plan', {
    session,
    branch: 'refresh',
    plan: {...plan, rollback: {strategy: 'hope'}},
  });
  assert.equal(rejected.passes, false);
  assert.ok(rejected.review.suggestions.length > 0);
  assert.match(await refusal(client, 'think_export_plan',
                             {session, branch: 'refresh'}), /validated/);
  await call(client, 'think_plan_step', {
    session, branch: 'refresh', content: 'Roll back with git instead.'});
  const accepted = await call(client, 'think_validate_plan',
                              {session, branch: 'refresh', plan});
  assert.equal(accepted.passes, true);
  const race = await call(client, 'think_parallel_run',
                          {session, strategy: 'race', max_rounds: 0});
  assert.equal(race.winner, 'branch_2');
  const exported =
      await call(client, 'think_export_plan', {session, branch: 'refresh'});
  assert.deepEqual(exported.plan.limits, plan.limits);
  const failed = await call(client, 'think_receive_evidence', {
    session,
    branch: 'refresh',
    execution_id: 'run-1',
    success: false,
    summary: '1 of 43 tests fails',
    stderr: 'tests/test_login.py:31: AssertionError: 401 != 200',
    tool: 'pytest',
    exit_code: 1,
  });
  assert.ok(failed.healing.length > 0);
  return {session, healing: failed.healing[0].action};
}

// Plans again in a new branch after the failure.
async function secondTry(client, {session, healing}) {
  await call(client, 'think_branch', {
    session, action: 'fork', branch: 'main',
    children: [{name: 'second', content: 'Refresh on 401 as well.'}]});
  const accepted = await call(client, 'think_validate_plan',
                              {session, branch: 'second', plan});
  assert.equal(accepted.passes, true);
  await call(client, 'think_export_plan', {session, branch: 'second'});
  await call(client, 'think_receive_evidence', {
    session, branch: 'second', execution_id: 'run-2', success: true,
    summary: '43 tests pass', tests_passed: 43, healing_action: healing});
  await call(client, 'think_session_control',
             {session, action: 'complete', note: 'All tests pass'});
  const digest = await call(client, 'think_digest', {session});
  assert.ok(digest.tokens <= 200, `${digest.tokens} tokens`);
  assert.match(digest.digest, /test_login/);
}

async function runWithClientModel() {
  const client = await connect({sampling: {}});
  let asked = 0;
  client.setRequestHandler(CreateMessageRequestSchema, async () => {
    asked += 1;
    return {
      role: 'assistant',
      model: 'scripted',
      content: {type: 'text', text: 'Here it is:\n```json\n' +
                                    JSON.stringify(plan) + '\n```'},
    };
  });
  const {session} =
      await call(client, 'think_session_start', {goal: 'Let them race'});
  await call(client, 'think_branch', {
    session, action: 'fork',
    children: [{name: 'a', content: 'One way.'},
               {name: 'b', content: 'Another way.'}]});
  const race = await call(client, 'think_parallel_run',
                          {session, strategy: 'race', branches: ['a', 'b']});
  assert.ok(asked > 0);
  assert.match(race.winner, /^branch_[12]$/);
  await client.close();
}

const client = await connect({});
const {tools} = await client.listTools();
for (const prefix of ['think_', 'skill_']) {
  assert.ok(tools.some((tool) => tool.name.startsWith(prefix)), prefix);
}
await secondTry(client, await reachGoal(client));
const {resources} = await client.listResources();
const graph = await client.readResource({
  uri: resources.find((each) => each.uri.startsWith('thought://session/')).uri +
      '/graph'});
assert.match(graph.contents[0].text, /^(flowchart|graph)/m);
await client.close();
await runWithClientModel();
console.log('The official client completed the session.');
