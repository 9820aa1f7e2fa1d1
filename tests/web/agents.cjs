// The view of agents: starting tasks, following them, answering questions and
// going on with the conversation.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { ROOT, Server, accessibilityFaults, openBrowser, openPage, picture, runTests } = require('./page_fixture.cjs');

const toolCalls = (name, args) => ({
  status: 200, headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    choices: [{ message: { content: '', tool_calls: [{ id: 'call_0', type: 'function', function: { name, arguments: JSON.stringify(args) } }] }, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 900, completion_tokens: 40 },
  }),
});
const finish = (answer) => toolCalls('finish', { answer, success: true, summary: 'The question is answered.' });

// A model over HTTP that plays these scenes.
async function startModel(folder, scenes) {
  const script = path.join(folder, 'scenes.json');
  fs.writeFileSync(script, JSON.stringify(scenes));
  const model = spawn('python3', [path.join(ROOT, 'tests/llm/scripted_server.py'), '--script', script, '--log', path.join(folder, 'model.log')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise((resolve) => model.stdout.once('data', (data) => resolve(String(data).trim())));
  return { url, stop: () => new Promise((resolve) => { model.once('exit', resolve); model.stdin.end(); }) };
}

const PROGRAM = 'import math\nprint(math.factorial(20))\n';
const PLAN = JSON.stringify({ steps: [{ tool: 'python_run', action: 'compute it', arguments: { code: PROGRAM } }] });
const TABLE = 'period,distance\n' + [0.24, 0.62, 1, 1.88, 11.86, 29.46, 84, 164.8].map((p) => `${p},${(p ** (2 / 3)).toFixed(4)}`).join('\n') + '\n';

async function main() {
  const server = new Server(process.argv[2]);
  await server.start();
  const browser = await openBrowser();
  const page = await openPage(browser);
  let waiting = '';
  let law = '';
  let model = null;
  const go = async (where) => { await page.goto(server.url + where); };
  const card = () => page.locator('.question');
  const write = async (text, plan) => {
    await page.getByLabel('What should the agent do?').fill(text);
    if (!plan) return;
    await page.getByText('Plan and limits').click();
    await page.getByLabel('Plan as JSON').fill(plan);
  };
  const chosen = () => new URL(page.url()).searchParams.get('task');

  const tests = {
    'without a model the view says what to do': async () => {
      await go('/agent');
      await page.getByText('No task yet').waitFor();
      await page.getByText('--llm-base-url').waitFor();
      await picture(page, 'agents-empty');
      await write('Think hard');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByRole('alert').getByText('An agent needs a plan').waitFor();
      await write('Compute 20!', '{"steps": ');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByRole('alert').getByText('not valid JSON').waitFor();
    },

    'a task with a plan waits for the permission to run a program': async () => {
      await go('/agent');
      await write('Compute 20!', PLAN);
      await page.getByRole('button', { name: 'Start' }).click();
      await card().getByText('May the agent call').waitFor();
      assert.match(await card().textContent(), /runs a program/);
      assert.match(await card().locator('pre').first().textContent(), /math\.factorial\(20\)/);
      await page.locator('.task-row .state-waiting').waitFor();
      waiting = chosen();
      await picture(page, 'agents-question', true);
    },

    'the question outlives the server and is answered with one click': async () => {
      await server.stop('SIGKILL');
      await page.getByText('Connection lost').first().waitFor();
      await server.start();
      await page.getByText('Connected again').waitFor();
      await card().getByRole('button', { name: 'Allow once' }).click();
      await page.locator('.bubble.reply', { hasText: '2432902008176640000' }).waitFor();
      assert.equal(await card().count(), 0);
      await page.locator('.answers', { hasText: 'allowed once' }).waitFor();
      await page.locator('.facts .state-done').waitFor();
      await picture(page, 'agents-done', true);
    },

    'the time before the answer can be seen again': async () => {
      await page.locator('.slider input').fill('6');
      await page.getByText('waited for the permission').waitFor();
      assert.equal(await page.locator('.bubble.reply').count(), 0);
      assert.equal(await card().count(), 0, 'the past cannot be answered');
      await page.getByRole('button', { name: 'Live', exact: true }).click();
      await page.locator('.bubble.reply').waitFor();
    },

    'a refusal with a comment reaches the agent': async () => {
      await page.getByRole('button', { name: 'New task' }).click();
      await write('Compute it once more', PLAN);
      await page.getByRole('button', { name: 'Start' }).click();
      await card().getByLabel('Comment for the agent').fill('Use a formula instead');
      await card().getByRole('button', { name: 'Do not allow' }).click();
      await page.locator('.facts .state-failed').waitFor();
      await page.locator('.answers', { hasText: 'Use a formula instead' }).waitFor();
      await page.locator('.reflection', { hasText: 'Use a formula instead' }).waitFor();
    },

    'the keyboard alone starts a task and answers it': async () => {
      await go('/agent?task=new');
      const field = page.getByLabel('What should the agent do?');
      await field.waitFor();
      const focus = async (what, matches) => {
        for (let i = 0; i < 60; ++i) {
          await page.keyboard.press('Tab');
          if (await page.evaluate(matches)) return;
        }
        throw new Error(`The keyboard does not reach ${what}.`);
      };
      await focus('the task', () => document.activeElement.tagName === 'TEXTAREA');
      await page.keyboard.type('With keys only');
      await focus('the plan', () => document.activeElement.tagName === 'SUMMARY');
      await page.keyboard.press('Enter');
      await focus('the plan', () => document.activeElement.tagName === 'TEXTAREA');
      await page.keyboard.insertText(PLAN);
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Control+Enter');
      await card().waitFor();
      await focus('Allow in this task', () => document.activeElement.textContent === 'Allow in this task');
      await page.keyboard.press('Enter');
      await page.locator('.bubble.reply', { hasText: '2432902008176640000' }).waitFor();
    },

    'a task is stopped while it waits, and resumed': async () => {
      await go('/agent?task=new');
      await write('Wait for me', PLAN);
      await page.getByRole('button', { name: 'Start' }).click();
      await card().waitFor();
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page.getByText('Stopped:').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await card().waitFor();
      waiting = chosen();
    },

    'with a model, a conversation about a table continues': async () => {
      model = await startModel(server.folder, [
        toolCalls('csv_statistics', { path: 'planets.csv' }), toolCalls('evolve_function', { path: 'planets.csv', target: 'distance', budget: '20000eval', seed: 1 }),
        finish('The distance is the cube root of the squared period: Kepler\'s third law.'),
        finish('For 8 years it is 4 astronomical units.')]);
      await server.stop();
      server.env.LAMARCK_LLM_BASE_URL = model.url;
      server.env.LAMARCK_LLM_MODEL = 'scripted';
      await server.start();
      await go('/agent?task=new');
      await page.getByText('Model: scripted').waitFor();
      await page.getByLabel('CSV files').setInputFiles(['planets.csv', 'more.csv'].map((name) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(TABLE) })));
      await page.getByRole('button', { name: 'Leave out more.csv' }).click();
      await page.locator('.chip', { hasText: 'planets.csv' }).waitFor();
      await write('Find the law of distance in planets.csv');
      await picture(page, 'agents-new');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator('.calls code', { hasText: 'csv_statistics' }).waitFor();
      await page.locator('.bubble.reply', { hasText: 'third law' }).waitFor();
      law = chosen();
      await page.locator('.fact', { hasText: 'Evolved by it' }).getByRole('link').waitFor();
      await page.locator('.fact', { hasText: 'Thoughts' }).getByRole('link').waitFor();
      await page.locator('.files button', { hasText: 'planets.csv' }).waitFor();
      await page.getByLabel('Continue from here').fill('And for 8 years?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.bubble.reply', { hasText: '4 astronomical units' }).waitFor();
      await page.locator('.bubble.earlier', { hasText: 'third law' }).waitFor();
      await picture(page, 'agents-conversation', true);
      await page.getByRole('link', { name: 'The task before this one' }).click();
      await page.getByRole('link', { name: 'The conversation continues' }).waitFor();
      const run = await page.locator('.fact', { hasText: 'Evolved by it' }).getByRole('link').getAttribute('href');
      await go(run);
      await page.getByRole('heading', { name: /law for distance|distance/ }).first().waitFor();
    },

    'an unknown task is an error that says so': async () => {
      await go('/agent?task=agent_none');
      await page.getByRole('alert').getByText('Not found').waitFor();
    },

    'nothing overflows a narrow screen': async () => {
      const narrow = await openPage(browser, { viewport: { width: 390, height: 844 } });
      for (const where of [`/agent?task=${waiting}`, `/agent?task=${law}`, '/agent?task=new', '/agent']) {
        await narrow.goto(server.url + where);
        await narrow.locator('.bubble.person, .composer').first().waitFor();
        await narrow.waitForTimeout(300);
        const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
        await picture(narrow, `agents-narrow-${where === `/agent?task=${law}` ? 'law' : where.length}`, true);
        assert.ok(width <= 390, `${where} is ${width} px wide`);
      }
      assert.deepEqual(narrow.problems, []);
      await narrow.context().close();
    },

    'axe finds no serious fault in light and dark': async () => {
      for (const scheme of ['light', 'dark']) {
        for (const where of [`/agent?task=${waiting}`, `/agent?task=${law}`, '/agent?task=new', '/agent']) {
          assert.deepEqual(await accessibilityFaults(browser, server.url + where, scheme), [], `${scheme} ${where}`);
        }
      }
      const dark = await openPage(browser, { colorScheme: 'dark' });
      await dark.goto(`${server.url}/agent?task=${waiting}`);
      await dark.locator('.question').waitFor();
      await picture(dark, 'agents-question-dark', true);
      await dark.context().close();
    },

    'no script error, no request elsewhere': async () => assert.deepEqual(page.problems, []),
  };

  try {
    return await runTests(tests);
  } finally {
    await browser.close();
    await server.stop();
    if (model) await model.stop();
    server.remove();
  }
}

main().then((code) => { process.exitCode = code; }, (error) => { console.error(error); process.exitCode = 1; });
