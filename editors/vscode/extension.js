// SPDX-License-Identifier: Apache-2.0
// Starts `gyre lsp` for Vela files. All that the editor shows of a program comes from there.
'use strict';

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

function makeClient() {
    const command = vscode.workspace.getConfiguration('vela').get('gyre', 'gyre');
    const server = { command, args: ['lsp'], transport: TransportKind.stdio };
    const options = {
        documentSelector: [{ language: 'vela', scheme: 'file' }, { language: 'vela', scheme: 'untitled' }],
        synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.vela') },
    };
    return new LanguageClient('vela', 'Vela', server, options);
}

async function start() {
    client = makeClient();
    try {
        await client.start();
    } catch (error) {
        const shown = await vscode.window.showErrorMessage(
            `gyre lsp could not be started: ${error.message}. The setting vela.gyre names the program.`, 'Settings');
        if (shown) await vscode.commands.executeCommand('workbench.action.openSettings', 'vela.gyre');
    }
}

async function stop() {
    const running = client;
    client = undefined;
    if (running) await running.stop();
}

async function restart() {
    await stop();
    await start();
}

async function activate(context) {
    context.subscriptions.push(
        vscode.commands.registerCommand('vela.restart', restart),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration('vela.gyre')) return restart();
            return undefined;
        }));
    await start();
}

module.exports = { activate, deactivate: stop };
