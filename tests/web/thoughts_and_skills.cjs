// The views of thoughts, skills and agents, with real data.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { Server, accessibilityFaults, eventually, openBrowser, openPage, picture, refundTrace, runTests } = require('./page_fixture.cjs');

async function main() {
  const server = new Server(process.argv[2]);
  await server.start();
  const browser = await openBrowser();
  const page = await openPage(browser);
  let session = '';
  let skill = '';
  const go = async (path) => { await page.goto(server.url + path); };

  const tests = {
    'empty states say what to do': async () => {
      for (const [path, text] of [['/thoughts', 'No thought session yet'], ['/skills', 'Nothing to review'], ['/agent', 'No task yet']]) {
        await go(path);
        await page.getByText(text).waitFor();
      }
      await picture(page, 'agent-empty');
    },

    'a session appears in the list while it is open': async () => {
      await go('/thoughts');
      await page.getByText('No thought session yet').waitFor();
      session = await server.addSession();
      await page.getByText('Make test_login pass again').waitFor();
      await picture(page, 'thoughts');
    },

    'the graph shows branches side by side with their states': async () => {
      await go(`/thoughts/${session}`);
      for (const name of ['main', 'retry', 'refresh', 'longer', 'second']) await page.locator('.graph-head', { hasText: name }).first().waitFor();
      const columns = await page.locator('.step').evaluateAll((steps) => new Set(steps.map((step) => step.style.left)).size);
      assert.ok(columns >= 3, `expected several columns, got ${columns}`);
      await page.locator('.step.bad').first().waitFor();
      await picture(page, 'thought');
    },

    'a step shows its detail, and the address names it': async () => {
      await page.locator('.chain button', { hasText: '43 tests pass' }).click();
      assert.match(page.url(), /[?&]event=\d+/);
      const detail = page.locator('.thought-text');
      await detail.waitFor();
      const text = await detail.textContent();
      await page.reload();
      await detail.waitFor();
      assert.equal(await detail.textContent(), text);
      await picture(page, 'thought-step');
    },

    'the list shows only failures on request': async () => {
      await go(`/thoughts/${session}?view=list`);
      await page.locator('.scroll tbody tr').first().waitFor();
      const all = await page.locator('.scroll tbody tr').count();
      await page.getByRole('button', { name: 'Only failures' }).click();
      await eventually('fewer rows', async () => (await page.locator('.scroll tbody tr').count()) < all);
      assert.match(page.url(), /only=failures/);
      await page.locator('.scroll tbody tr', { hasText: 'rejected' }).first().waitFor();
    },

    'the slider shows the state of any event': async () => {
      await go(`/thoughts/${session}?at=3`);
      await page.locator('.step').first().waitFor();
      await eventually('three steps', async () => (await page.locator('.step').count()) === 3);
      await page.getByRole('button', { name: 'One step forward' }).click();
      await eventually('four steps', async () => (await page.locator('.step').count()) === 4);
      assert.match(page.url(), /at=4/);
      const past = await page.locator('.audit').textContent();
      await page.getByRole('button', { name: 'Live', exact: true }).click();
      await eventually('the newest state', async () => (await page.locator('.audit').textContent()) !== past);
      assert.doesNotMatch(page.url(), /at=/);
    },

    'new events appear live and leave a chosen time alone': async () => {
      const started = await server.tool('think_session_start', { goal: 'Follow this live' });
      await go(`/thoughts/${started.session}`);
      await page.getByRole('heading', { name: 'Follow this live' }).waitFor();
      await server.tool('think_plan_step', { session: started.session, content: 'First live thought' });
      await page.locator('.step', { hasText: 'First live thought' }).waitFor();
      await page.getByRole('button', { name: 'One step back' }).click();
      await eventually('one step', async () => (await page.locator('.step').count()) === 1);
      await server.tool('think_plan_step', { session: started.session, content: 'Second live thought' });
      await page.locator('.slider output', { hasText: '/ 3' }).waitFor();
      assert.equal(await page.locator('.step').count(), 1, 'the chosen time must not move');
    },

    'the connection state is shown and the page catches up after a restart': async () => {
      const started = await server.tool('think_session_start', { goal: 'Survive a restart' });
      await go(`/thoughts/${started.session}`);
      await page.locator('.connection.live').waitFor();
      await server.stop('SIGKILL');
      await page.getByText('Connection lost').first().waitFor();
      await picture(page, 'connection-lost');
      await server.start();
      await server.tool('think_plan_step', { session: started.session, content: 'Thought while it was away' });
      await page.getByText('Connected again').waitFor();
      await page.locator('.step', { hasText: 'Thought while it was away' }).waitFor();
    },

    'an unknown session is an error that says so': async () => {
      await go('/thoughts/sess_none');
      await page.getByRole('alert').getByText('Not found').waitFor();
    },

    'a long session renders only the steps on the screen': async () => {
      const started = await server.tool('think_session_start', { goal: 'A very long session', token_budget: 100000000 });
      for (let i = 0; i < 300; ++i) await server.tool('think_plan_step', { session: started.session, content: `Thought ${i}` });
      await go(`/thoughts/${started.session}`);
      await page.locator('.slider output', { hasText: '/ 301' }).waitFor();
      assert.ok((await page.locator('.step').count()) < 60, 'only visible steps are rendered');
    },

    'the keyboard alone reaches a step and its neighbours': async () => {
      await go(`/thoughts/${session}`);
      const step = page.locator('.step').first();
      await step.waitFor();
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
      for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.classList.contains('step'))); ++i) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const first = new URL(page.url()).searchParams.get('event');
      assert.ok(first, 'Enter chooses the step');
      await page.keyboard.press('ArrowDown');
      await eventually('another step', async () => new URL(page.url()).searchParams.get('event') !== first);
    },

    'a learned skill is reviewed with its definition and a comment': async () => {
      await server.api('POST', '/agents', { name: 'shop', allowed: ['executes'], evolution: { enabled: true, auto_approve: false, cooldown_minutes: 0, max_evolve_per_hour: 100, min_quality_score: 0 } });
      const first = await server.learn('shop', [refundTrace('Ada', '1234', 'pay_refund'), refundTrace('Bob', '77', 'pay_refund')]);
      await server.api('POST', `/evolved-skills/${first}/review`, { action: 'approve', comment: 'Known to work' });
      skill = await server.learn('shop', [refundTrace('Ada', '1234', 'get_refund_quote'), refundTrace('Eve', '9', 'get_refund_quote')]);
      await go('/skills');
      await page.locator('.skill-row').first().waitFor();
      await picture(page, 'skills');
      await page.locator('.skill-row').first().click();
      await page.getByRole('heading', { name: 'Definition' }).waitFor();
      await page.getByText('get_refund_quote').first().waitFor();
      await page.getByText('Similar skills').waitFor();
      await picture(page, 'skill-review', true);
      await page.getByLabel('Comment').fill('Looks right');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Looks right').waitFor();
      assert.equal((await server.api('GET', `/evolved-skills/${skill}`)).status, 'approved');
    },

    'similar skills stand side by side with differences marked': async () => {
      await go(`/skills/${skill}`);
      await page.locator('.compared .left').first().waitFor();
      await page.locator('.compared .right').first().waitFor();
    },

    'measured lift, versions and uses are shown': async () => {
      for (const used of [true, false]) {
        await server.api('POST', '/tasks', { agent_id: 'shop', family: skill, used_skill: used, success: true, steps: used ? 2 : 6, tokens: used ? 100 : 900 });
      }
      await go(`/skills/${skill}`);
      await page.getByText('Measured lift').waitFor();
      await page.locator('td.good').first().waitFor();
      await page.getByText('current').waitFor();
    },

    'the library is searched by task, and the address keeps it': async () => {
      await go('/skills?status=approved');
      await page.locator('.skill-row').first().waitFor();
      await page.getByRole('searchbox').fill('refund order of a customer');
      await eventually('the address', async () => page.url().includes('task='));
      await page.locator('.skill-row').first().waitFor();
      await page.reload();
      await page.locator('.skill-row').first().waitFor();
      assert.equal(await page.getByRole('searchbox').inputValue(), 'refund order of a customer');
    },

    'a skill can be rejected': async () => {
      await go(`/skills/${skill}`);
      await page.getByRole('button', { name: 'Reject' }).click();
      await page.locator('.head .state-rejected').waitFor();
    },

    'a failed task taught nothing, cannot be resumed and names each step once': async () => {
      const plan = path.join(server.folder, 'plan.json');
      fs.writeFileSync(plan, JSON.stringify({ answer: 'none', steps: [{ action: 'file_read', tool: 'file_read', arguments: { path: 'missing.txt' } }] }));
      assert.throws(() => server.run('agent', 'run', 'Read the missing file', '--plan', plan, '--workspace', server.folder, '--db', server.db));
      await go('/agent');
      await page.getByText('no: Only a task that succeeded becomes a skill.').waitFor();
      await page.locator('.facts .state-failed').waitFor();
      assert.equal(await page.getByText('Copy the command that resumes it').count(), 0);
      assert.equal((await page.locator('.steps li').first().textContent()).trim(), 'file_read');
      assert.doesNotMatch(await page.locator('.fact', { hasText: 'Took' }).textContent(), /Took0 ms/);
      await picture(page, 'agent-failed');
    },

    'nothing overflows a narrow screen': async () => {
      const narrow = await openPage(browser, { viewport: { width: 390, height: 844 } });
      for (const path of ['/', '/thoughts', `/thoughts/${session}`, '/skills', `/skills/${skill}`, '/agent']) {
        await narrow.goto(server.url + path);
        await narrow.locator('main h1').first().waitFor();
        await narrow.waitForTimeout(300);
        const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `${path} is ${width} px wide`);
        await picture(narrow, 'narrow' + path.replaceAll('/', '-').slice(0, 20));
      }
      assert.deepEqual(narrow.problems, []);
      await narrow.context().close();
    },

    'axe finds no serious fault in light and dark': async () => {
      for (const scheme of ['light', 'dark']) {
        for (const path of ['/', '/thoughts', `/thoughts/${session}?event=3`, `/thoughts/${session}?view=list`, '/skills?status=all', `/skills/${skill}`, '/agent']) {
          assert.deepEqual(await accessibilityFaults(browser, server.url + path, scheme), [], `${scheme} ${path}`);
        }
      }
    },

    'no script error, no request elsewhere': async () => assert.deepEqual(page.problems, []),
  };

  try {
    return await runTests(tests);
  } finally {
    await browser.close();
    await server.stop();
    server.remove();
  }
}

main().then((code) => { process.exitCode = code; }, (error) => { console.error(error); process.exitCode = 1; });
