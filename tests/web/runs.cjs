// The views of runs, with real evolutions that the page starts itself.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { ROOT, Server, accessibilityFaults, eventually, openBrowser, openPage, picture, runTests } = require('./page_fixture.cjs');

const DATA = path.join(ROOT, 'tests/data');

async function main() {
  const server = new Server(process.argv[2]);
  await server.start();
  const browser = await openBrowser();
  const page = await openPage(browser);
  let net = '';
  let law = '';
  const go = async (route) => { await page.goto(server.url + route); };
  const ended = (id) => eventually(`the end of ${id}`, async () => ['done', 'failed'].includes((await server.api('GET', `/runs/${id}`)).state));

  // Drops a file on the page as a person does.
  const drop = async (name, text = fs.readFileSync(path.join(DATA, name), 'utf8')) => {
    const transfer = await page.evaluateHandle(([content, file]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], file, { type: 'text/csv' }));
      return data;
    }, [text, name]);
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: transfer });
    await page.locator('.start').waitFor();
  };

  const tests = {
    'the empty list says how to start': async () => {
      await go('/');
      await page.getByText('No runs yet').waitFor();
      await page.getByText('Drop a CSV file').first().waitFor();
      await picture(page, 'runs-empty');
    },

    'dropping a table shows its columns and a guess, and one click starts a network': async () => {
      await drop('iris.csv');
      await page.getByText('150 rows').waitFor();
      assert.ok(await page.getByRole('radio', { name: 'Predict species' }).isChecked(), 'species is the guessed target');
      await page.getByRole('combobox').first().selectOption('10s');
      await picture(page, 'start-run');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.waitForURL(/\/runs\/net-/);
      net = decodeURIComponent(new URL(page.url()).pathname.split('/')[2]);
      await page.locator('.head .state-running').waitFor();
    },

    'the network is drawn and redrawn while it grows': async () => {
      await page.locator('.network .node').first().waitFor();
      const first = await page.locator('.slider output').textContent();
      await eventually('new events', async () => (await page.locator('.slider output').textContent()) !== first);
      await picture(page, 'network-live');
    },

    'new data leaves zoom and time alone': async () => {
      await page.locator('.u-over').waitFor();
      const box = await page.locator('.u-over').boundingBox();
      await page.mouse.move(box.x + box.width * 0.1, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 4 });
      await page.mouse.up();
      await eventually('the zoom in the address', async () => page.url().includes('zoom='));
      await page.getByRole('slider', { name: 'Event of the run' }).focus();
      await page.keyboard.press('Home');
      await eventually('the time in the address', async () => /[?&]at=1(&|$)/.test(page.url()));
      const address = page.url();
      await ended(net);
      await page.locator('.head .state-done').waitFor();
      assert.equal(page.url(), address);
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByRole('button', { name: 'Live', exact: true }).click();
    },

    'mutations are listed with kept or rolled back and the loss before and after': async () => {
      await go(`/runs/${net}`);
      await page.locator('.verdict').first().waitFor();
      await page.getByRole('heading', { name: 'Mutation statistics' }).waitFor();
      const before = await page.locator('.slider output').textContent();
      await page.getByRole('button', { name: 'One step back' }).click();
      await eventually('an earlier step', async () => (await page.locator('.slider output').textContent()) !== before);
      await page.getByRole('button', { name: 'Live', exact: true }).click();
    },

    'the score, the losses and the confusion matrix say which rows they are of': async () => {
      await page.getByRole('heading', { name: /right on 30 held-out rows/ }).waitFor();
      const cells = await page.locator('.confusion td').allTextContents();
      assert.equal(cells.reduce((sum, cell) => sum + (Number(cell) || 0), 0), 30, 'the matrix counts the held-out rows');
      await page.locator('.facts dt', { hasText: 'held-out rows' }).waitFor();
      await page.locator('.facts dt', { hasText: 'Loss, validation rows' }).waitFor();
      await page.getByText('Losses are on the validation rows').waitFor();
    },

    'a classifier shows its confusion matrix and the importance of inputs': async () => {
      await page.locator('.confusion .hit').first().waitFor();
      await page.getByRole('heading', { name: /Importance of inputs/ }).waitFor();
      await eventually('four inputs', async () => (await page.locator('.card', { hasText: 'Importance of inputs' }).locator('tr').count()) === 4);
      await picture(page, 'network', true);
    },

    'the form predicts a row': async () => {
      await page.getByLabel('petal_length', { exact: true }).fill('1.3');
      await page.getByLabel('petal_width', { exact: true }).fill('0.2');
      await page.getByRole('button', { name: 'Predict species' }).click();
      await page.locator('.answer', { hasText: 'setosa' }).waitFor();
    },

    'files of a run can be downloaded': async () => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.files button', { hasText: 'network.svg' }).click()]);
      assert.match(fs.readFileSync(await file.path(), 'utf8'), /<svg/);
    },

    'axis, log scale and smoothing are in the address, and the raw line stays': async () => {
      await go(`/runs/${net}?x=seconds&log=1&smooth=0.8`);
      await page.locator('.u-over').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Log', exact: true }).getAttribute('aria-pressed'), 'true');
      assert.equal(await page.getByRole('button', { name: 'Seconds' }).getAttribute('aria-pressed'), 'true');
    },

    'a law is found from a dropped table and typeset': async () => {
      await go('/');
      await drop('planets.csv');
      await page.getByRole('radio', { name: 'Predict period' }).check();
      await page.getByRole('button', { name: 'A law' }).click();
      await page.getByRole('combobox').first().selectOption('10s');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.waitForURL(/\/runs\/fn-/);
      law = decodeURIComponent(new URL(page.url()).pathname.split('/')[2]);
      await page.locator('math').first().waitFor();
      await ended(law);
      await page.locator('.head .state-done').waitFor();
    },

    'a click on the middle of a point of the front reaches that point': async () => {
      const missed = await page.locator('.law-point').evaluateAll((points) => points.filter((point) => {
        point.scrollIntoView({ block: 'center', behavior: 'instant' });
        const { x, y, width, height } = point.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('.law-point') !== point;
      }).map((point) => point.getAttribute('aria-label')));
      assert.deepEqual(missed, []);
    },

    'a point of the front shows its law, its fit and code to copy': async () => {
      await page.locator('.law-point').nth(1).click();
      await eventually('the law in the address', async () => page.url().includes('law='));
      const text = await page.locator('.law math').textContent();
      await page.locator('.law-point').first().click();
      await eventually('another law', async () => (await page.locator('.law math').textContent()) !== text);
      await page.locator('.scatter circle').first().waitFor();
      for (const name of ['Copy Python', 'Copy LaTeX', 'Copy C++']) await page.getByRole('button', { name }).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy Python' }).click();
      await page.getByText('Copied').waitFor();
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^def equation/);
      await go(`/runs/${law}`);
      await page.locator('.scatter circle').first().waitFor();
      await picture(page, 'law', true);
    },

    'the page says why the curve ends below the error of the law': async () => {
      const { front } = await server.api('GET', `/runs/${law}/view`);
      const chosen = front.find((each) => each.chosen);
      const isLongest = chosen.size === Math.max(...front.map((each) => each.size));
      if (!isLongest) await page.getByText(`The run recommends the law of size ${chosen.size}`).waitFor();
      await page.getByRole('heading', { name: /of the most accurate law/ }).waitFor();
    },

    'the form asks only for columns that the law uses': async () => {
      const card = page.locator('.card', { hasText: 'Try a prediction' });
      assert.deepEqual(await card.locator('label').allTextContents(), ['axis']);
      await card.getByRole('button', { name: 'Predict period' }).click();
      await card.locator('.answer b').waitFor();
    },

    'trials without a better formula are not failures, and errors are positive numbers': async () => {
      await go(`/runs/${law}?tried=all`);
      await page.locator('.candidates tbody tr').first().waitFor();
      assert.equal(await page.locator('.candidates .reason', { hasText: 'found no better' }).count(), 0);
      assert.equal(await page.locator('.candidates tr.failed', { hasText: 'without a better' }).count(), 0);
      await go(`/runs/${law}`);
      await page.locator('.candidates tbody tr').first().waitFor();
      assert.ok((await page.locator('.candidates thead').textContent()).includes('NMSE'));
      for (const text of await page.locator('.candidates tbody td:nth-child(4)').allTextContents()) {
        assert.doesNotMatch(text, /^-|failed/, 'an error is not negative');
      }
    },

    'an exact law has a curve and says that it is exact': async () => {
      fs.writeFileSync(path.join(server.folder, 'line.csv'), 'name,x,z,y\n' + Array.from({ length: 40 }, (_, i) => `row${i % 3},${i / 4},${(i * 7) % 11},${i / 2 + 1}`).join('\n'));
      server.run('evolve', 'fn', 'line.csv', '--target', 'y', '--budget', '1500eval', '--out', 'line-law', '--run-id', 'fn-line', '--db', server.db);
      await go('/runs/fn-line');
      await page.locator('.fact dd', { hasText: '0 (exact)' }).first().waitFor();
      await page.locator('.u-over').waitFor();
      await page.getByText('The law is exact').waitFor();
      await page.waitForTimeout(300);
      const drawn = await page.evaluate(() => {
        const canvas = document.querySelector('.uplot canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let pixels = 0;
        // The accent is the only dark green.
        for (let i = 0; i < data.length; i += 4) pixels += data[i] < 40 && data[i + 1] > 80 && data[i + 1] < 130 && data[i + 3] > 200 ? 1 : 0;
        return pixels;
      });
      assert.ok(drawn > 20, `the curve has ${drawn} pixels`);
      await picture(page, 'law-exact');
    },

    'the keyboard alone moves along the front': async () => {
      await go(`/runs/${law}`);
      await page.locator('.law-point[tabindex="0"]').focus();
      await page.keyboard.press('ArrowLeft');
      await eventually('the law in the address', async () => page.url().includes('law='));
    },

    'candidates are filtered, and one is compared with its parent': async () => {
      await go(`/runs/${law}?tried=improved`);
      const rows = page.locator('.candidates tbody tr');
      await rows.first().waitFor();
      await rows.first().getByRole('button').click();
      await eventually('the candidate in the address', async () => page.url().includes('candidate='));
      await page.locator('.candidate .compared .left').first().waitFor();
      const shown = await rows.count();
      await page.getByRole('button', { name: 'Older' }).click();
      await eventually('older candidates', async () => (await rows.count()) > shown);
      await picture(page, 'candidates', true);
      await page.getByRole('button', { name: 'By a model' }).click();
      await page.getByText(/None (so far|among)/).waitFor();
    },

    'a table with a time column is a series, and its run draws a forecast': async () => {
      const level = (t) => (2 + Math.sin(t / 5)).toFixed(4);
      const table = 'time,wind,level\n' + Array.from({ length: 90 }, (_, t) => `${t},${Math.cos(t / 5).toFixed(4)},${level(t)}`).join('\n');
      await go('/');
      await drop('tides.csv', table);
      const series = page.getByRole('checkbox', { name: 'Rows are steps in time' });
      assert.ok(await series.isChecked(), 'the time column is seen');
      await page.getByRole('combobox').nth(1).selectOption('3');
      await picture(page, 'start-series');
      let sent = null;
      // Two seconds are enough here.
      await page.route('**/api/v1/runs', (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        sent = route.request().postDataJSON();
        return route.continue({ postData: JSON.stringify({ ...sent, options: { ...sent.options, budget: '2s' } }) });
      });
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.waitForURL(/\/runs\/net-/);
      await page.unroute('**/api/v1/runs');
      assert.equal(sent.options.series, true);
      assert.equal(sent.options.horizon, 3);
      assert.equal(sent.options.ignore, 'time');
      const id = decodeURIComponent(new URL(page.url()).pathname.split('/')[2]);
      await ended(id);
      const card = page.locator('.card', { hasText: 'Forecast of level' });
      await card.locator('.answer b').nth(2).waitFor();
      assert.deepEqual(await card.locator('.answer .tiny').allTextContents(), ['row 91', 'row 92', 'row 93']);
      for (const text of await card.locator('.answer b').allTextContents()) {
        assert.ok(Number(text) > 0 && Number(text) < 4, `${text} is a plausible level`);
      }
      await card.locator('.u-over').waitFor();
      await page.getByRole('heading', { name: /held-out rows, the end of the series/ }).waitFor();
      await picture(page, 'series', true);

      await card.locator('summary').click();
      await card.locator('textarea').fill('time,wind\n1,2\n2,3');
      await card.getByRole('button', { name: 'Predict level' }).click();
      await card.getByRole('alert').getByText('need a column level').waitFor();
      await card.locator('textarea').fill(table.split('\n').slice(0, 31).join('\n'));
      await card.getByRole('button', { name: 'Predict level' }).click();
      await card.locator('.answer .tiny', { hasText: 'row 31' }).waitFor();
      await card.getByRole('button', { name: 'Use the rows of the run again' }).click();
      await card.locator('.answer .tiny', { hasText: 'row 91' }).waitFor();
    },

    'runs started elsewhere appear, and are filtered and searched': async () => {
      await go('/');
      await page.locator('.run-row').nth(3).waitFor();
      server.run('evolve', 'net', path.join(DATA, 'iris.csv'), '--target', 'species', '--budget', '1s', '--out', 'second', '--db', server.db);
      await page.locator('.run-row').nth(4).waitFor();
      await picture(page, 'runs');
      await page.getByRole('searchbox').fill('planets');
      await eventually('one run', async () => (await page.locator('.run-row').count()) === 1);
      assert.match(page.url(), /q=planets/);
      await go('/?state=failed');
      await page.getByText('No run matches').waitFor();
    },

    'two runs are compared': async () => {
      await go('/?kind=net');
      await page.locator('.run-row').nth(1).waitFor();
      await page.locator('.run-row input').nth(0).check();
      await page.locator('.run-row input').nth(1).check();
      await page.getByRole('button', { name: 'Compare 2 runs' }).click();
      await page.getByRole('heading', { name: 'Options and results' }).waitFor();
      await page.locator('.u-over').waitFor();
      assert.equal(await page.locator('.network').count(), 2, 'both networks are drawn');
      await picture(page, 'compare');
    },

    'a run is compared with another from its own view': async () => {
      await go(`/runs/${law}`);
      await page.getByRole('link', { name: 'Compare' }).click();
      await page.getByText('Mark another run to compare it with.').waitFor();
      assert.ok(page.url().includes(`mark=${law}`));
      await page.locator('.run-row', { hasText: net }).locator('input').check();
      await page.getByRole('button', { name: 'Compare 2 runs' }).click();
      await page.locator('.law math').waitFor();
      await page.locator('.network .node').first().waitFor();
    },

    'a running evolution is stopped and resumed': async () => {
      await go('/');
      await drop('iris.csv');
      await page.getByRole('combobox').first().selectOption('2m');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.waitForURL(/\/runs\/net-/);
      await page.locator('.network .node').first().waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('.head .state-interrupted').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.locator('.head .state-running').waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('.head .state-interrupted').waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL(/\/$/);
    },

    'the page survives a restart of the server in the middle of a run': async () => {
      await go('/');
      await drop('iris.csv');
      await page.getByRole('combobox').first().selectOption('30s');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.waitForURL(/\/runs\/net-/);
      await page.locator('.network .node').first().waitFor();
      await server.stop('SIGKILL');
      await page.getByText('Connection lost').first().waitFor();
      await server.start();
      await page.getByText('Connected again').waitFor();
      const before = await page.locator('.slider output').textContent();
      await eventually('further events', async () => (await page.locator('.slider output').textContent()) !== before);
      const id = decodeURIComponent(new URL(page.url()).pathname.split('/')[2]);
      await server.api('POST', `/runs/${id}/stop`).catch(() => undefined);
    },

    'an unknown run, a bad table and an unknown address are errors that say so': async () => {
      await go('/runs/net-none');
      await page.getByRole('alert').waitFor();
      await go('/');
      await page.getByLabel('CSV file').setInputFiles({ name: 'bad.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1\n2,3,4\n') });
      await page.getByRole('alert').waitFor();
      await go('/runs');
      await page.locator('.run-row').first().waitFor();
      const reply = await page.goto(server.url + '/nope/there');
      assert.equal(reply.status(), 404);
      await page.getByRole('heading', { name: 'Nothing is here' }).waitFor();
      for (const route of ['/nope', '/api/v1/nope']) {
        const other = await fetch(server.url + route);
        assert.equal(other.status, 404);
        assert.equal((await other.json()).error.code, 'not_found');
      }
      const inApi = await fetch(server.url + '/api/v1/nope', { headers: { Accept: 'text/html' } });
      assert.equal((await inApi.json()).error.code, 'not_found');
    },

    'a program of a model is shown with its prompt and reply': async () => {
      const folder = path.join(server.folder, 'line');
      fs.mkdirSync(folder);
      fs.writeFileSync(path.join(folder, 'program.py'), '# lamarck: evolve\ndef line(x):\n    while x > 100:\n        x -= 1\n    return x\n');
      fs.writeFileSync(path.join(folder, 'evaluate.py'), "def inputs():\n    return ['near', 'far']\n\n\ndef evaluate(program, name):\n    return -abs(program.line(3) - 10)\n");
      fs.writeFileSync(path.join(server.folder, 'better.py'), 'def line(x):\n    return 3 * x\n\n\ndef line(x):\n    return 3 * x + 1\n');
      execFileSync('python3', [path.join(__dirname, '../llm/scripted_server.py'), '--improve', 'better.py', '--', server.program,
        'evolve', 'program', 'line', '--budget', '3eval', '--islands', '1', '--engine', 'llm', '--db', server.db],
      { env: server.env, cwd: server.folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
      const [run] = (await server.api('GET', '/runs?kind=program')).runs;
      await go(`/runs/${run.id}?tried=model`);
      await page.locator('.candidates tbody tr').first().getByRole('button').click();
      await page.getByText('Prompt', { exact: true }).click();
      await page.locator('.candidate details[open] pre').getByText('def line').first().waitFor();
      await picture(page, 'program', true);
    },

    'nothing overflows a narrow screen': async () => {
      const narrow = await openPage(browser, { viewport: { width: 390, height: 844 } });
      for (const route of ['/', `/runs/${net}`, `/runs/${law}`, `/compare?run=${net}&run=${law}`]) {
        await narrow.goto(server.url + route);
        await narrow.locator('main h1').first().waitFor();
        await narrow.waitForTimeout(800);
        const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `${route} is ${width} px wide`);
        const hidden = await narrow.evaluate(() => {
          const isCut = (each) => { const box = each.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth; };
          const cut = [...document.querySelectorAll('.choice button, .node-name, .mutation-table td')].filter(isCut).map((each) => each.textContent);
          const silent = [...document.querySelectorAll('.scroll, .short, .wide-table, .columns')]
            .filter((each) => each.scrollWidth > each.clientWidth && !getComputedStyle(each).backgroundImage.includes('gradient'));
          return [...cut, ...silent.map((each) => `${each.className} scrolls without a hint`)];
        });
        assert.deepEqual(hidden, [], route);
        await picture(narrow, 'narrow-run' + route.replaceAll('/', '-').slice(0, 14), true);
      }
      assert.deepEqual(narrow.problems, []);
      await narrow.context().close();
    },

    'axe finds no serious fault in light and dark': async () => {
      for (const scheme of ['light', 'dark']) {
        for (const route of ['/', `/runs/${net}`, `/runs/${law}`, `/compare?run=${net}&run=${law}`]) {
          assert.deepEqual(await accessibilityFaults(browser, server.url + route, scheme), [], `${scheme} ${route}`);
        }
      }
    },

    'a server with a token asks for it once': async () => {
      const guarded = new Server(process.argv[2], 'a-secret-token');
      await guarded.start();
      try {
        const visitor = await openPage(browser);
        await visitor.goto(guarded.url + '/');
        await visitor.getByLabel('Token').fill('a-secret-token');
        await visitor.getByRole('button', { name: 'Continue' }).click();
        await visitor.getByText('No runs yet').waitFor();
        await visitor.locator('.connection.live').waitFor();
        await visitor.context().close();
      } finally {
        await guarded.stop();
        guarded.remove();
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
