// The official TypeScript server with one small tool, stateless over HTTP, set up
// as in its own examples: node sdk_server.mjs PORT
import http from 'node:http';
import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {StreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/streamableHttp.js';

function newServer() {
  const server = new McpServer({name: 'peer', version: '1'});
  server.registerTool('digest', {description: 'Returns an empty digest'}, async () => ({
    content: [{type: 'text', text: '{"sessions":[]}'}],
  }));
  return server;
}

http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const server = newServer();
  const transport = new StreamableHTTPServerTransport(
      {sessionIdGenerator: undefined, enableJsonResponse: true});
  response.on('close', () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response,
                                JSON.parse(Buffer.concat(chunks)));
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
