// Starts a server with an empty data base on a free port, and a browser.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync, spawn } = require('node:child_process');
const { chromium } = require('playwright-core');

const ROOT = path.resolve(__dirname, '../..');
const PATIENCE = 30_000;

class Server {
  constructor(program, token = '') {
    this.program = program;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lamarck-page-'));
    this.env = { ...process.env, HOME: this.folder, XDG_DATA_HOME: this.folder, XDG_CONFIG_HOME: this.folder };
    if (token) this.env.LAMARCK_SERVE_TOKEN = token;
    this.port = 0;
    this.calls = 0;
  }

  get db() { return path.join(this.folder, 'journal.db'); }
  get url() { return `http://127.0.0.1:${this.port}`; }

  async start() {
    this.process = spawn(this.program, ['serve', '--port', String(this.port), '--db', this.db, '--json'],
      { env: this.env, cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    this.log = '';
    this.process.stderr.on('data', (data) => { this.log += data; });
    const line = await new Promise((resolve, reject) => {
      let text = '';
      this.process.stdout.on('data', (data) => {
        text += data;
        if (text.includes('\n')) resolve(text);
      });
      this.process.on('exit', (code) => reject(new Error(`The server ended with ${code}: ${this.log}`)));
    });
    const up = JSON.parse(line);
    this.port = up.port;
    if (!up.page) {
      await this.stop();  // Otherwise it would keep this process waiting.
      throw new Error('The program is built without the page; run tools/install-deps page and build again.');
    }
  }

  async stop(signal = 'SIGTERM') {
    if (!this.process || this.process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.removeAllListeners('exit');
    this.process.on('exit', () => undefined);
    const done = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await Promise.race([ended, done]);
  }

  remove() { fs.rmSync(this.folder, { recursive: true, force: true }); }

  // Runs the program with the data base of the server.
  run(...words) {
    return execFileSync(this.program, words, { env: this.env, cwd: this.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async api(method, route, body) {
    const reply = await fetch(`${this.url}/api/v1${route}`, {
      method, headers: body ? { 'Content-Type': 'application/json' } : {}, body: body ? JSON.stringify(body) : undefined,
    });
    const json = await reply.json();
    if (!json.success) throw new Error(`${method} ${route}: ${JSON.stringify(json)}`);
    return json.data;
  }

  // Calls a tool over MCP.
  async tool(name, args) {
    const reply = await fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0', id: ++this.calls, method: 'tools/call',
        params: { name, arguments: args, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } },
      }),
    });
    const text = await reply.text();
    const json = JSON.parse(text.includes('data:') ? text.split('data:').pop().split('\n')[0] : text);
    if (!json.result) throw new Error(`${name}: ${text}`);
    return json.result.structuredContent;
  }

  // A session with forks, a rejected plan, a failure and a success: the calls of
  // tests/mcp/fix_a_test.think.
  async addSession() {
    const file = fs.readFileSync(path.join(ROOT, 'tests/mcp/fix_a_test.think'), 'utf8');
    let session = '';
    for (const [, name, json] of file.matchAll(/^> (think_\w+) (\{.*\})$/gm)) {
      const answer = await this.tool(name, JSON.parse(json.replaceAll('sess_1', session)));
      session ||= answer.session;
    }
    return session;
  }

  // Waits until a background job has ended.
  async learn(agent, traces) {
    let job = await this.api('POST', `/agents/${agent}/learn`, { traces });
    while (job.state === 'queued' || job.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      job = await this.api('GET', `/jobs/${job.id}`);
    }
    assert.equal(job.state, 'done', job.message);
    return job.skill_id;
  }
}

function refundTrace(customer, order, last) {
  return {
    request: `${last === 'get_refund_quote' ? 'Quote' : 'Pay'} the refund of order ${order} of customer ${customer}`,
    calls: [
      { tool: 'find_customer', arguments: { name: customer }, result: { id: `c-${customer}` } },
      { tool: 'find_order', arguments: { customer: `c-${customer}`, order }, result: { total: 20, key: `k-${order}` } },
      { tool: last, arguments: { key: `k-${order}` }, result: { state: 'ready' } },
    ],
    answer: 'The refund is ready.', reflection: { success: true, summary: 'The refund is ready.', reusability: 0.9 },
  };
}

async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

// A page that fails the test if the console shows an error that is not expected.
async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const isExpected = /Failed to load resource|ERR_CONNECTION|net::ERR/.test(message.text());
    if (message.type() === 'error' && !isExpected) page.problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const host = new URL(request.url()).hostname;
    if (host !== '127.0.0.1' && !request.url().startsWith('data:') && !request.url().startsWith('blob:')) page.problems.push(`foreign request: ${request.url()}`);
  });
  return page;
}

async function picture(page, name, fullPage = false) {
  const folder = process.env.LAMARCK_SCREENSHOTS;
  if (!folder) return;
  fs.mkdirSync(folder, { recursive: true });
  await page.waitForTimeout(400);
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage });
}

// Waits until the condition holds in node.
async function eventually(what, condition) {
  const end = Date.now() + PATIENCE;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Timed out waiting for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// Faults of accessibility that are serious or critical.
async function accessibilityFaults(browser, url, colorScheme, viewport) {
  const context = await browser.newContext({ viewport: viewport ?? { width: 1360, height: 900 }, colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('main h1, main h2').first().waitFor();
  await page.waitForTimeout(600);
  await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  await context.close();
  return found.violations.filter((fault) => ['serious', 'critical'].includes(fault.impact))
    .map((fault) => `${fault.id}: ${fault.help}: ${fault.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`);
}

// Runs named tests one after the other and says which failed.
async function runTests(tests) {
  const wanted = process.env.ONLY;
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (wanted && !name.includes(wanted)) continue;
    try {
      await test();
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  console.log(failed ? `${failed} tests failed.` : 'All tests passed.');
  return failed ? 1 : 0;
}

module.exports = { ROOT, Server, accessibilityFaults, eventually, openBrowser, openPage, picture, refundTrace, runTests };
