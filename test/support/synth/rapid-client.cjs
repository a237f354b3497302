/**
 * In place of the native addon of AWS's runtime client, which is C++ that posts by curl: the two requests that the
 * client makes with it. It asks for events in JavaScript of its own (`AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1`).
 */
const { request } = require('node:http')

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`

function post(path, body, headers = {}) {
  request(`${api}/${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
    .on('response', (response) => response.resume())
    .end(body)
}

exports.done = (id, body) => post(`${id}/response`, body)
exports.error = (id, body, xray) =>
  post(`${id}/error`, body, { 'lambda-runtime-function-xray-error-cause': xray })
